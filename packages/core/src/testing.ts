/** What tests of bots and of adapters stand on: conformance suites, the seeded simulation, doubles. */
export * as CoordinatorSuite from "./testing/CoordinatorSuite.ts"
export * from "./testing/Inbound.ts"
export * as MockProvider from "./testing/MockProvider.ts"
export * as ProviderSuite from "./testing/ProviderSuite.ts"
export * from "./testing/RecordingHost.ts"
export * from "./testing/Sim.ts"
export * as StoreSuite from "./testing/StoreSuite.ts"
export * as TestBot from "./testing/TestBot.ts"
