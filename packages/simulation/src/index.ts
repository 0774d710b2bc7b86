export { makeChance, type Chance } from "./world/Chance.ts"
export { type Ending, Machine, Universe } from "./world/Universe.ts"
