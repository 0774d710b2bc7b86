/**
 * A bot in a terminal, without any transport (B21).
 *
 * ```ts
 * const running = Bot.layer(shop).pipe(
 *   Layer.provideMerge(Simulator.layer()),
 *   Layer.provideMerge(Layer.merge(Local.layer, Simulator.layerStdio)))
 * const Main = Effect.provide(Simulator.run(shop), running)
 * ```
 */
export { run } from "./Run.ts"
export {
  layerStdio,
  type Script,
  scripted,
  Terminal,
  TerminalError,
  type TerminalShape,
  type Tone
} from "./Terminal.ts"
export { layer, Simulator, type SimulatorOptions } from "./Transport.ts"
