import { Config, Effect } from "effect"

/** An option's value, or the `Config` that reads it. */
export type Setting<A> = A | Config.Config<A>

const isConfig = <A>(setting: Setting<A>): setting is Config.Config<A> => Config.isConfig(setting)

/** The value of a setting; `undefined` stays so. Fails when its `Config` cannot be read. */
export const readSetting = <A>(setting: Setting<A>): Effect.Effect<A, Config.ConfigError> =>
  isConfig(setting) ? setting : Effect.succeed(setting)
