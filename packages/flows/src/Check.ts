/**
 * Looks at a document before a customer does: what keeps it from compiling, what is most likely a mistake, and which
 * conversations under way would not survive the change.
 *
 * Source: E7, B16
 */
import { Flow } from "@botmesh/core"
import type { Checkpoint } from "@botmesh/core/spi"
import { Result } from "effect"
import { loopIssues } from "./2-check/Loops.ts"
import { reachIssues } from "./2-check/Reach.ts"
import { referenceIssues } from "./2-check/References.ts"
import { type Lost, lostIn } from "./2-check/Survival.ts"
import { type Transport, transportIssues } from "./2-check/Transports.ts"
import { variableIssues } from "./2-check/Variables.ts"
import { checked, claimedId, compileAmong, othersIn } from "./Compile.ts"
import type { FlowDocument } from "./document/Document.ts"
import type { FlowIssue } from "./document/Issue.ts"

export interface CheckOptions {
  /** The other documents of the bot: subflows and goto targets are looked for among them. */
  readonly flows?: Iterable<unknown>
  /** Ids of flows that are no documents; unknown goto targets are told when this or `flows` is given. */
  readonly known?: Iterable<string>
  /** The transports the bot speaks on: texts and menus are measured against what they show. */
  readonly transports?: ReadonlyArray<Transport>
  /** Stored conversations: those of this flow are tried against the document. */
  readonly parked?: Iterable<Checkpoint>
}

export interface CheckReport {
  /** Errors first. An empty list of errors means that it compiles. */
  readonly issues: ReadonlyArray<FlowIssue>
  /** The conversations of `parked` that could not go on with this document. */
  readonly lost: ReadonlyArray<Lost>
}

const bySeverity = (issues: ReadonlyArray<FlowIssue>): ReadonlyArray<FlowIssue> => [
  ...issues.filter(({ severity }) => severity === "error"),
  ...issues.filter(({ severity }) => severity === "warning")
]

/**
 * Checks a document. Errors of `validate` are among the issues; the rest is what only shows when somebody meets it:
 * values read before they are asked, steps nothing leads to, gotos to nowhere, loops that wait for nobody, comparisons that
 * cannot be met, texts over a transport's limit. Never throws. Source: E7, B16
 */
export const check = (document: unknown, options: CheckOptions = {}): CheckReport => {
  const flows = [...(options.flows ?? [])]
  const others = othersIn(flows)
  const own = checked(document)
  if (Result.isFailure(own)) return { issues: own.failure, lost: [] }
  const compiled = compileAmong(document, others)
  const found = own.success
  const flow = (id: string): FlowDocument | undefined => {
    const other = others.find(id)
    return other === undefined || "issues" in other ? undefined : other.document
  }
  const known =
    options.flows === undefined && options.known === undefined
      ? undefined
      : new Set([found.document.id, ...others.ids(), ...(options.known ?? [])])
  const issues = [
    ...(Result.isFailure(compiled) ? compiled.failure.issues : []),
    ...referenceIssues(found.document, known, flow),
    ...variableIssues(found.document, found.sources),
    ...reachIssues(found.document, found.sources),
    ...loopIssues(found.document, flow),
    ...transportIssues(found.document, found.sources, options.transports ?? [])
  ]
  const lost = Result.isSuccess(compiled)
    ? lostIn(options.parked ?? [], claimedId(document) ?? "", Flow.outline(compiled.success.flow).steps)
    : []
  return { issues: bySeverity(issues), lost }
}
