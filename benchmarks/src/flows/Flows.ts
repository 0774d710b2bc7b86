/** What flow documents cost: their expressions, compiling them, and running them beside the same flow in TypeScript. */
import type { Aim, Case } from "../Case.ts"
import type { Job } from "../Process.ts"

const expression = (engine: string, mode: "evaluate" | "compile"): Job => ({
  script: "flows/expressions.ts",
  args: [engine, mode]
})
const documents = (steps: number): Job => ({ script: "flows/documents.ts", args: [String(steps)] })
const conversation = (variant: string): Job => ({
  script: "dispatch/speed.ts",
  args: ["./Botmesh.ts", "conversation", "1", variant]
})

const engines = (mode: "evaluate" | "compile"): Case["peers"] => ({
  "floor: closures by hand": expression("closure", mode),
  "@marcbachmann/cel-js": expression("cel", mode),
  filtrex: expression("filtrex", mode),
  jexl: expression("jexl", mode)
})
const against = (name: string, want: number, peer: string): Aim => ({
  name,
  want,
  got: (mine, peers) => (peers[peer] === undefined ? undefined : mine / peers[peer])
})

export const cases: ReadonlyArray<Case> = [
  {
    name: "expression-evaluate",
    unit: "evaluations per CPU second",
    ours: expression("botmesh", "evaluate"),
    peers: engines("evaluate"),
    aims: [
      against("at least 3× filtrex", 3, "filtrex"),
      against("at least 0.3× closures by hand", 0.3, "floor: closures by hand")
    ]
  },
  {
    name: "expression-compile",
    unit: "compiled and run once, per CPU second",
    ours: expression("botmesh", "compile"),
    peers: engines("compile"),
    aims: [against("at least 10× filtrex", 10, "filtrex")]
  },
  { name: "document-50", unit: "steps compiled per CPU second", ours: documents(50), peers: {}, aims: [] },
  {
    name: "document-500",
    unit: "steps compiled per CPU second",
    ours: documents(500),
    peers: {},
    aims: [
      {
        name: "linear: at least 0.7× the rate of 50 steps",
        want: 0.7,
        got: (mine, _, others) => (others["document-50"] === undefined ? undefined : mine / others["document-50"])
      }
    ]
  },
  {
    name: "conversation-document",
    unit: "messages per CPU second",
    ours: conversation("document"),
    peers: { "the same in TypeScript": conversation("flow") },
    aims: [against("at most 1.3× the cost of TypeScript: at least 0.77× its rate", 1 / 1.3, "the same in TypeScript")]
  }
]
