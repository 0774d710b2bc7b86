/** Telegram as a transport of botmesh. */
export * as Telegram from "./Telegram.ts"
