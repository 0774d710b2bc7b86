/** Whole botmesh worlds in virtual time: one seed, one story; faults by a nemesis, verdicts by checkers outside the engine. */
export { i1, i3, i6 } from "./check/Turns.ts"
export { type Checker, type Entry, tell, type Violation } from "./History.ts"
export { makeNemesis, type NemesisOptions, type Replica, type Verb, verbs } from "./Nemesis.ts"
export { runSignUps, type SignUpOptions, type SignUpOutcome } from "./workload/SignUp.ts"
export { type Outcome, runTurns, type TurnsOptions } from "./workload/Turns.ts"
export { type BotWorld, type BotWorldOptions, makeBotWorld } from "./world/BotWorld.ts"
export { type Chance, makeChance } from "./world/Chance.ts"
export { type Ending, Machine, Universe } from "./world/Universe.ts"
