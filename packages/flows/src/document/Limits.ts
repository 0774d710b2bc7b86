/**
 * The bounds of flow documents. They are part of the contract: a document within them compiles in bounded time.
 *
 * Source: E1, E2, E6
 */
export const FLOW_DOCUMENT_LIMITS = {
  /** Steps of a document, nested ones included. */
  steps: 500,
  /** Steps of a document with all its subflows copied in. */
  linkedSteps: 2_000,
  /** Levels of subflows in one another. */
  subflowLevels: 32,
  /** Levels of steps: the steps of the document are level 1, those of a branch one more. */
  levels: 8,
  /** Characters (UTF-16 units) of a text. */
  text: 4_096,
  /** Characters of an option's label, a name, a keyword. */
  label: 200,
  options: 20,
  keywords: 50,
  /** Characters of an expression. */
  expression: 1_000,
  /** Fields of a form, tools of a model, headers and body fields of a request, inputs and outputs of a subflow. */
  fields: 20,
  inputs: 50,
  /** Answers to one question in all. */
  attempts: 21,
  /** ms: the wait of a question. */
  timeout: 7 * 86_400_000,
  /** ms: a delay. */
  delay: 5 * 60_000,
  /** ms: a request. */
  httpTimeout: 30_000,
  httpRetries: 5,
  /** Bytes of a response. */
  httpBytes: 1_048_576,
  /** ms: a model's answer, tools included. */
  aiTimeout: 120_000,
  aiRounds: 10,
  /** Levels of JSON and values in it: more is refused unread. */
  depth: 64,
  values: 50_000
} as const
