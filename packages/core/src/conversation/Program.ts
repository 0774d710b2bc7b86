/**
 * A flow compiled for running: a flat list of nodes with stable ids (design.md 6).
 *
 * P1 a node's id depends on its key or name and the branch it stands in, never on its position, so inserting a step
 * shifts no conversation. Steps without a key are named after the keyed step before them.
 * P2 the version is a fingerprint of ids and kinds: equal versions have equal nodes at equal positions.
 */
import { Predicate, Schema } from "effect"
import { hashText } from "../model/Hash.ts"
import type { AnyFlow } from "./Flow.ts"
import type { FlowOptions, Step } from "./Step.ts"

export interface Node {
  readonly id: string
  readonly step: Step
  /** Where to go on; `END` ends the flow. */
  readonly next: number
  readonly branches: Readonly<Record<string, number>> | undefined
}
export const END = -1

export interface Program {
  readonly flow: string
  readonly kind: "flow" | "conversation"
  readonly nodes: ReadonlyArray<Node>
  readonly position: ReadonlyMap<string, number>
  readonly entry: number
  readonly version: string
  readonly options: FlowOptions
  /** The schemas a state key may be stored with, in the order of the program; a key without one is plain JSON. */
  readonly schemas: ReadonlyMap<string, ReadonlyArray<Schema.Top>>
}

interface Draft {
  id: string
  step: Step
  next: number
  branches: Record<string, number> | undefined
}

/** Compiles a flow. Pure; the checks of `Definition` come before it. */
export const compile = (flow: AnyFlow, kind: Program["kind"] = "flow"): Program => {
  const nodes: Array<Draft> = []
  const taken = new Set<string>()
  const unique = (wanted: string): string => {
    let id = wanted
    for (let n = 2; taken.has(id); n++) id = `${wanted}#${n}`
    taken.add(id)
    return id
  }
  /** Appends the steps so that the last goes on at `after`; returns the position of the first. */
  const append = (steps: ReadonlyArray<Step>, prefix: string, after: number): number => {
    let anchor = ""
    const positions: Array<number> = []
    for (const step of steps) {
      const named = step.id ?? ("key" in step ? step.key : undefined)
      if (named !== undefined) anchor = named
      const own = named ?? `${anchor}>${step._tag === "branch" ? step.name : step._tag}`
      positions.push(nodes.push({ id: unique(prefix + own), step, next: END, branches: undefined }) - 1)
    }
    positions.forEach((position, index) => {
      const node = nodes[position]
      if (node === undefined) return
      node.next = positions[index + 1] ?? after
      if (node.step._tag !== "branch") return
      node.branches = Object.fromEntries(
        Object.entries(node.step.branches).map(([name, branch]) => [
          name,
          append(branch, `${node.id}/${name}/`, node.next)
        ])
      )
    })
    return positions[0] ?? after
  }
  const entry = append(flow.steps, "", END)
  const shape = nodes.map((node) => [
    node.id,
    node.step._tag,
    node.step._tag === "choose" && typeof node.step.choices !== "function"
      ? node.step.choices.map((choice) => choice.key)
      : 0
  ])
  return {
    flow: flow.id,
    kind,
    nodes,
    position: new Map(nodes.map((node, index) => [node.id, index])),
    entry,
    version: hashText(JSON.stringify(shape)),
    options: flow.options,
    schemas: schemasOf(flow, nodes)
  }
}

/** Branches may keep values of different types under one key: each of its schemas counts. */
const schemasOf = (flow: AnyFlow, nodes: ReadonlyArray<Draft>): Program["schemas"] => {
  const schemas = new Map<string, Array<Schema.Top>>()
  const add = (key: string, schema: Schema.Top): void => {
    const known = schemas.get(key)
    if (known === undefined) schemas.set(key, [schema])
    else if (!known.includes(schema)) known.push(schema)
  }
  const { input } = flow.options
  if (input !== undefined && "fields" in input && Predicate.isObject(input.fields)) {
    for (const [key, schema] of Object.entries(input.fields)) if (Schema.isSchema(schema)) add(key, schema)
  }
  for (const { step } of nodes) {
    const schema =
      step._tag === "ask" ? step.answer : step._tag === "run" || step._tag === "do" ? step.result : undefined
    if (schema !== undefined && "key" in step) add(step.key, schema)
  }
  return schemas
}

/** Every flow this one can go to, for the check of unknown gotos at build (B26). */
export const gotosOf = (steps: ReadonlyArray<Step>): ReadonlyArray<string> =>
  steps.flatMap((step) => {
    switch (step._tag) {
      case "goto":
        return [step.flow]
      case "branch":
        return Object.values(step.branches).flatMap(gotosOf)
      case "ask":
      case "choose":
        return [step.options.onTimeout?.goto, step.options.onGiveUp?.goto].filter((id) => id !== undefined)
      default:
        return []
    }
  })
