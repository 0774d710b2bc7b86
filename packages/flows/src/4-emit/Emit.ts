/** Fourth phase: a linked document as the steps of a flow. */
import { Flow } from "@botmesh/core"
import type { Linked } from "../document/Checked.ts"
import type { ConditionStep, GotoStep, GuardStep, Step, SubflowStep } from "../document/Steps.ts"
import { emitAi } from "./Ai.ts"
import { emitForm } from "./Form.ts"
import { emitHandoff } from "./Handoff.ts"
import { emitHttp } from "./Http.ts"
import { emitMedia } from "./Media.ts"
import { emitAsk, emitChoose } from "./Questions.ts"
import { emitEnd, emitSay } from "./Say.ts"
import { expression, fields, Names, type Scope, scopeOf } from "./Scope.ts"

type Steps = ReadonlyArray<Flow.Step>

const emitSteps = (steps: ReadonlyArray<Step>, scope: Scope): Steps => {
  const names = new Names()
  return steps.flatMap((step) => emitStep(step, scope, names))
}

const emitStep = (step: Step, scope: Scope, names: Names): Steps => {
  switch (step.kind) {
    case "say":
      return emitSay(names.of(step), step.text, scope)
    case "ask":
      return emitAsk(step, scope, names)
    case "choose":
      return emitChoose(step, scope, names, optionBranches(step.options, scope))
    case "delay":
      return [{ _tag: "delay", id: names.of(step), duration: step.duration }]
    case "goto":
      return emitGoto(step, scope, names)
    case "end":
      return emitEnd(names.of(step), step.text, scope)
    case "condition":
      return emitCondition(step, scope, names)
    case "guard":
      return emitGuard(step, scope, names)
    case "media":
      return emitMedia(step, scope, names)
    case "form":
      return emitForm(step, scope, names)
    case "subflow":
      return emitSubflow(step, scope, names)
    case "http":
      return emitHttp(step, scope, names, elseSteps(step, scope))
    case "handoff":
      return emitHandoff(step, scope, names)
    case "ai":
      return emitAi(step, scope, names, elseSteps(step, scope))
  }
}

const elseSteps = (step: { readonly else?: ReadonlyArray<Step> }, scope: Scope): Steps | undefined =>
  step.else === undefined ? undefined : emitSteps(step.else, scope)

const optionBranches = (
  options: ReadonlyArray<{ readonly key: string; readonly steps?: ReadonlyArray<Step> }>,
  scope: Scope
): Readonly<Record<string, Steps>> =>
  Object.fromEntries(
    options.flatMap(({ key, steps }) =>
      steps === undefined || steps.length === 0 ? [] : [[key, emitSteps(steps, scope)] as const]
    )
  )

const emitGoto = (step: GotoStep, scope: Scope, names: Names): Steps => [
  {
    _tag: "goto",
    id: names.of(step),
    flow: step.target,
    state: step.inputs === undefined ? undefined : fields(scope, step.inputs)
  }
]

const emitCondition = (step: ConditionStep, scope: Scope, names: Names): Steps => {
  const { test } = expression(scope, step.if)
  return [
    {
      _tag: "branch",
      id: names.of(step),
      name: "condition",
      pick: (state: Flow.State, at: Flow.Moment) => (test(state, at) ? "then" : "else"),
      branches: { then: emitSteps(step.then, scope), else: emitSteps(step.else ?? [], scope) }
    }
  ]
}

/** What a guard refuses goes its own way and ends there. */
const emitGuard = (step: GuardStep, scope: Scope, names: Names): Steps => {
  const { test } = expression(scope, step.if)
  return [
    {
      _tag: "branch",
      id: names.of(step),
      name: "guard",
      pick: (state: Flow.State, at: Flow.Moment) => (test(state, at) ? undefined : "else"),
      branches: { else: [...emitSteps(step.else, scope), { _tag: "end", id: "end", text: undefined }] }
    }
  ]
}

/** Copied in under `step/flow/…`; what goes in and comes out are values, its keys are its own. */
const emitSubflow = (step: SubflowStep, scope: Scope, names: Names): Steps => {
  const child = scope.linked.subflows.get(step.flow)
  if (child === undefined) throw new Error(`the subflow "${step.flow}" was never linked`)
  const id = names.named(step.id ?? step.flow)
  const inner = scopeOf(child, `${scope.prefix}${id}/`, true)
  const inputs = Object.entries(step.inputs ?? {}).map(
    ([key, source]): Flow.Step => ({
      _tag: "set",
      id: `${id}>in:${key}`,
      key: inner.keyOf(key),
      value: expression(scope, source).evaluate
    })
  )
  const outputs = Object.entries(step.outputs ?? {}).map(([key, from]): Flow.Step => {
    const source = inner.keyOf(from)
    return {
      _tag: "set",
      id: `${id}>out:${key}`,
      key: scope.keyOf(key),
      value: (state: Flow.State) => (Object.hasOwn(state, source) ? state[source] : null)
    }
  })
  const body: Flow.Step = {
    _tag: "branch",
    id,
    name: "subflow",
    pick: () => step.flow,
    branches: { [step.flow]: emitSteps(child.document.steps, inner) }
  }
  return [...inputs, body, ...outputs]
}

/** The flow of a document. Pure. */
export const emit = (linked: Linked): Flow.Flow<Flow.State, unknown, never> => {
  const { id, persistent, timeout } = linked.document
  return Flow.fromSteps(id, emitSteps(linked.document.steps, scopeOf(linked, "", false)), {
    persistent: persistent ?? false,
    timeout
  })
}
