/** botmesh layers that need nothing installed. */
export * as Local from "./Local.ts"
