/** What helps while a bot is being written: the terminal simulator. */
export * as Simulator from "./dev/Simulator.ts"
