export * as MemoryStore from "./memory/MemoryStore.ts"
