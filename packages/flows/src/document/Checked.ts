import type { FlowDocument } from "./Document.ts"
import type { FlowIssue } from "./Issue.ts"
import type { Sources } from "./Sources.ts"

/** A document whose parts are in order: read, and every source of it parsed. */
export interface Checked {
  readonly document: FlowDocument
  readonly sources: Sources
}

/** Another document by its id: in order, wrong, or not there. */
export type Found = Checked | { readonly issues: ReadonlyArray<FlowIssue> } | undefined

/** A document together with those it uses as subflows, theirs included. */
export interface Linked extends Checked {
  readonly subflows: ReadonlyMap<string, Linked>
  /** Steps with all subflows copied in. */
  readonly size: number
  /** Levels of subflows in one another; 0 without any. */
  readonly levels: number
}
