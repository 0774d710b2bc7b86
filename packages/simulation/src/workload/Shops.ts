/** The worlds of `pnpm sim`: shops with people in them, each its own by its seed. */
import { Context, Effect } from "effect"
import { type Outcome, runWorld } from "../World.ts"
import { makeErrands } from "./Errands.ts"
import { makeShop, settle, type Witness } from "./Shop.ts"
import type { Verb } from "../Nemesis.ts"

/** Worlds with an exclusive transport. */
const leaders = true

export interface ShopsOptions {
  readonly verbs?: ReadonlyArray<Verb> | undefined
}

export const runShop = (seed: number, options: ShopsOptions = {}): Outcome =>
  runWorld(seed, ({ chance, note, universe }) => {
    const about = () => ({ at: universe.now, machine: "witness" })
    const charged = new Set<string>()
    const witness: Witness["Service"] = {
      charge: (id) =>
        Effect.sync(() => {
          charged.add(id)
          note({ _tag: "charged", ...about(), id })
          return id
        }),
      // What began an errand may come to a question as well, and again: only a line of its own tells messages apart.
      answered: (question, value) => {
        if (/^[san] c\d+x\d+$/u.test(value)) note({ _tag: "answer", ...about(), chat: "", question, value })
      },
      suspended: (reason) => note({ _tag: "suspended", ...about(), key: "step", reason })
    }
    const alone = chance.happens(0.15)
    return {
      coordination: alone ? "local" : "shared",
      definition: makeShop(witness),
      services: Context.empty(),
      people: (chat, dice) => makeErrands(chat, dice, 2),
      chats: chance.between(2, 3),
      replicas: alone ? 1 : chance.between(2, 3),
      lease: chance.between(1500, 3000),
      settle,
      turnWait: chance.between(4000, 12_000),
      storm: chance.between(6000, 14_000),
      verbs: options.verbs,
      exclusive: leaders && !alone && chance.happens(0.15),
      // One process remembers what it had while it lives only: it cannot be asked to bear that.
      redelivers: !alone,
      roams: chance.happens(0.3),
      noise: true
    }
  })
