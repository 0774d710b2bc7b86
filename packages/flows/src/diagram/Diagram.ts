/** Flow documents as pictures. */
export { mermaid } from "./Mermaid.ts"
export { svg } from "./Svg.ts"
