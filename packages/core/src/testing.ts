/** Test kit and conformance suites. */
export * as StoreSuite from "./testing/StoreSuite.ts"
