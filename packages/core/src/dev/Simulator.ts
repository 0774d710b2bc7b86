/**
 * A bot in a terminal, without any transport (B21).
 *
 * ```ts
 * const Main = Simulator.run(shop).pipe(
 *   Effect.provide(Bot.layer(shop).pipe(Layer.provideMerge(Simulator.layer()), Layer.provideMerge(Local.layer))),
 *   Effect.provide(Simulator.layerStdio))
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
