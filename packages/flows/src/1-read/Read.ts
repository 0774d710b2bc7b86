/** First phase: anything at all in, a document of the current version out, or every reason why not. */
import { Result } from "effect"
import type { FlowDocument } from "../document/Document.ts"
import type { FlowIssue } from "../document/Issue.ts"
import { decode } from "./Decode.ts"
import { migrate } from "./Migrate.ts"
import { plainJson } from "./Plain.ts"
import { ruleIssues } from "./Rules.ts"

/** Pure, never throws. Source: E1, E7 */
export const read = (input: unknown): Result.Result<FlowDocument, ReadonlyArray<FlowIssue>> => {
  const plain = plainJson(input)
  if (Result.isFailure(plain)) return Result.fail([plain.failure])
  const { document, issues } = migrate(plain.success)
  if (issues.length > 0) return Result.fail(issues)
  const decoded = decode(document)
  if (Result.isFailure(decoded)) return decoded
  const rules = ruleIssues(decoded.success)
  return rules.length > 0 ? Result.fail(rules) : decoded
}
