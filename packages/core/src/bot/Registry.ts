/** What is registered in a bot, and how it is taken back: every add answers with its undo (B8). */
import { Duration, Effect, Result } from "effect"
import type { Chat } from "../chat/Chat.ts"
import type { Registered } from "../conversation/Live.ts"
import type { AnyFlow, Flow } from "../conversation/Flow.ts"
import { describeMenuIssue, menuIssues } from "../conversation/Menu.ts"
import { compile, gotosOf } from "../conversation/Program.ts"
import type { Step } from "../conversation/Step.ts"
import { Commands } from "../handlers/Commands.ts"
import { Matchers } from "../handlers/Matchers.ts"
import { toTriggers, type Trigger } from "../handlers/Trigger.ts"
import { HookList } from "../hooks/Hooks.ts"
import type { CallHooks, MessageHooks } from "../inbound/InboundPort.ts"
import { normalise } from "../model/Normalise.ts"
import { parseDuration } from "../model/Duration.ts"
import type { Bind } from "../model/Erased.ts"
import type { Outgoing, Receipt } from "../model/Content.ts"
import type { SignalEvent } from "../model/Event.ts"
import type { SendFailure, SendHookResult } from "../outbound/Send.ts"
import { BotDefinitionError } from "./Definition.ts"
import type { AnyHandler, HandlerDef } from "./Handler.ts"
import type { FlowInfo } from "./BotShape.ts"

export type Undo = () => void

export interface IdleHandler {
  /** ms. */
  readonly after: number
  readonly run: (chat: Chat) => Effect.Effect<unknown, unknown>
}

export class Registry {
  readonly bot: string
  readonly matchers = new Matchers()
  readonly commands = new Commands()
  readonly catchAlls = new HookList<Chat>()
  readonly message: MessageHooks = { before: new HookList(), after: new HookList(), onError: new HookList() }
  readonly call: CallHooks = { before: new HookList(), after: new HookList() }
  readonly beforeSend = new HookList<Outgoing, SendHookResult>()
  readonly afterSend = new HookList<{ readonly message: Outgoing; readonly receipt: Receipt }>()
  readonly failedSend = new HookList<{ readonly message: Outgoing; readonly error: SendFailure }>()
  readonly signals = new HookList<{ readonly chat: Chat; readonly event: SignalEvent }>()
  idle: ReadonlyArray<IdleHandler> = []
  readonly flows = new Map<string, Registered>()
  /** Takes back what starts a flow. */
  private readonly flowTriggers = new Map<string, Undo>()
  /** Text triggers in normal form: as they were written, and the flow they start. */
  private readonly texts = new Map<string, { readonly pattern: string; readonly flow: string | undefined }>()

  /** The services the definition's own handlers were given. */
  readonly bind: Bind

  constructor(bot: string, bind: Bind) {
    this.bot = bot
    this.bind = bind
  }

  /** Registers one handler that is not a plugin. Fails with every problem it has. */
  add(handler: AnyHandler, bind: Bind): Effect.Effect<Undo, BotDefinitionError> {
    return Effect.suspend(() => {
      const problems: Array<string> = []
      const undo = this.register(handler.def, bind, problems)
      if (problems.length === 0) return Effect.succeed(undo)
      undo()
      return Effect.fail(new BotDefinitionError({ bot: this.bot, problems }))
    })
  }

  private register(def: HandlerDef, bind: Bind, problems: Array<string>): Undo {
    switch (def._tag) {
      case "when": {
        const { run } = def
        return all(def.triggers.map((trigger) => this.trigger(trigger, { _tag: "run", run, bind }, problems)))
      }
      case "command": {
        const undo = this.commands.add({ name: def.name, description: def.description, run: def.run, bind })
        if (undo !== undefined) return undo
        problems.push(`the command /${def.name} is registered twice`)
        return nothing
      }
      case "flow":
        return this.addFlow(def.flow, def.kind, def.triggers, bind, problems)
      case "onMessage":
        return this.catchAlls.add({ run: def.run, bind })
      case "before":
        return (def.event === "message" ? this.message : this.call).before.add({ run: def.run, bind })
      case "after":
        return (def.event === "message" ? this.message : this.call).after.add({ run: def.run, bind })
      case "beforeSend":
        return this.beforeSend.add({ run: def.run, bind })
      case "afterSend":
        return this.afterSend.add({ run: def.run, bind })
      case "onFailure":
        return this.message.onError.add({ run: def.run, bind })
      case "signal":
        return this.signals.add({
          run: (input) => (input.event._tag === def.signal ? def.run(input) : input.chat.pass),
          bind
        })
      case "onIdle": {
        const after = parseDuration(def.after, "onIdle", { zero: "refuse" })
        if (Result.isFailure(after)) {
          problems.push(after.failure.message)
          return nothing
        }
        const handler: IdleHandler = { after: Duration.toMillis(after.success), run: (chat) => bind(def.run(chat)) }
        this.idle = [...this.idle, handler]
        return () => {
          this.idle = this.idle.filter((item) => item !== handler)
        }
      }
      case "plugin":
        problems.push(`plugin "${def.plugin.name}" must be plugged`)
        return nothing
    }
  }

  private trigger(trigger: Trigger, reaction: Parameters<Matchers["add"]>[1], problems: Array<string>): Undo {
    if (trigger._tag !== "text") return this.matchers.add(trigger, reaction)
    const issue = this.textIssue(trigger, undefined)
    if (issue !== undefined) {
      problems.push(issue)
      return nothing
    }
    const mark = markOf(trigger)
    this.texts.set(mark, { pattern: trigger.pattern, flow: reaction._tag === "flow" ? reaction.flow : undefined })
    const undo = this.matchers.add(trigger, reaction)
    return () => {
      this.texts.delete(mark)
      undo()
    }
  }
  /** @param flow whose own triggers do not count, because they are about to go */
  private textIssue(
    trigger: Extract<Trigger, { readonly _tag: "text" }>,
    flow: string | undefined
  ): string | undefined {
    const written = JSON.stringify(trigger.pattern)
    if (normalise(trigger.pattern) === "") {
      return `the trigger ${written} is empty in normal form: it could never match`
    }
    const first = this.texts.get(markOf(trigger))
    if (first === undefined || (flow !== undefined && first.flow === flow)) return undefined
    return `the trigger ${written} is registered twice (first as ${JSON.stringify(first.pattern)})`
  }

  private addFlow(
    flow: AnyFlow,
    kind: "flow" | "conversation",
    triggers: ReadonlyArray<Trigger>,
    bind: Bind,
    problems: Array<string>
  ): Undo {
    if (this.flows.has(flow.id)) {
      problems.push(`a flow "${flow.id}" is registered twice; registered are ${[...this.flows.keys()].join(", ")}`)
      return nothing
    }
    problems.push(...flowProblems(flow))
    if (problems.length > 0) return nothing
    const registered: Registered = { id: flow.id, program: compile(flow, kind), bind }
    this.flows.set(flow.id, registered)
    this.flowTriggers.set(flow.id, this.startedBy(flow.id, triggers, problems))
    return () => {
      // Another took its place since: that one is not ours to take back.
      if (this.flows.get(flow.id) === registered) this.unregisterFlow(flow.id)
    }
  }
  private startedBy(flow: string, triggers: ReadonlyArray<Trigger>, problems: Array<string>): Undo {
    return all(triggers.map((trigger) => this.trigger(trigger, { _tag: "flow", flow }, problems)))
  }

  /** Once everything is registered: every goto must name a flow. */
  unknownGotos(): ReadonlyArray<string> {
    const known = [...this.flows.keys()]
    return [...this.flows.values()].flatMap(({ id, program }) =>
      gotosOf(program.nodes.map((node) => node.step))
        .filter((target) => !this.flows.has(target))
        .map((target) => `flow "${id}" goes to "${target}", which is not registered; known are ${known.join(", ")}`)
    )
  }

  registerFlow<S, E, R>(flow: Flow<S, E, R>, trigger: string | undefined, bind: Bind, replace: boolean) {
    return Effect.suspend(() => {
      const triggers = trigger === undefined ? undefined : toTriggers(trigger)
      const problems: Array<string> = []
      const before = replace ? this.flows.get(flow.id) : undefined
      if (before === undefined) {
        const undo = this.addFlow(flow, "flow", triggers ?? [], bind, problems)
        if (problems.length === 0) problems.push(...this.unknownGotos())
        if (problems.length > 0) undo()
      } else this.replaceFlow(before, flow, triggers, bind, problems)
      return problems.length === 0 ? Effect.void : Effect.fail(new BotDefinitionError({ bot: this.bot, problems }))
    })
  }
  /** All or nothing: a flow that is not right leaves the one it was to replace as it is. Without a trigger the old ones stay. */
  private replaceFlow(
    before: Registered,
    flow: AnyFlow,
    triggers: ReadonlyArray<Trigger> | undefined,
    bind: Bind,
    problems: Array<string>
  ): void {
    problems.push(...flowProblems(flow))
    if (problems.length > 0) return
    this.flows.set(flow.id, { id: flow.id, program: compile(flow, "flow"), bind })
    problems.push(...this.unknownGotos())
    if (problems.length === 0 && triggers !== undefined) this.retrigger(flow.id, triggers, problems)
    if (problems.length > 0) this.flows.set(flow.id, before)
  }
  private retrigger(flow: string, triggers: ReadonlyArray<Trigger>, problems: Array<string>): void {
    const marks = new Set<string>()
    for (const trigger of triggers) {
      if (trigger._tag !== "text") continue
      const issue = this.textIssue(trigger, flow)
      if (issue !== undefined) problems.push(issue)
      if (marks.has(markOf(trigger))) problems.push(`the trigger ${JSON.stringify(trigger.pattern)} is given twice`)
      marks.add(markOf(trigger))
    }
    if (problems.length > 0) return
    this.flowTriggers.get(flow)?.()
    this.flowTriggers.set(flow, this.startedBy(flow, triggers, problems))
  }
  unregisterFlow(id: string): boolean {
    this.flowTriggers.get(id)?.()
    this.flowTriggers.delete(id)
    return this.flows.delete(id)
  }
  listFlows(): ReadonlyArray<FlowInfo> {
    return [...this.flows.values()].map(({ id, program }) => ({
      id,
      kind: program.kind,
      steps: program.nodes.length,
      persistent: program.options.persistent
    }))
  }
}

const nothing: Undo = () => {}
const markOf = (trigger: Extract<Trigger, { readonly _tag: "text" }>): string =>
  `${trigger.match} ${trigger.scope} ${normalise(trigger.pattern)}`
const all =
  (undos: ReadonlyArray<Undo>): Undo =>
  () => {
    for (const undo of undos) undo()
  }

/** What is wrong with a flow by itself (B26). */
const flowProblems = (flow: AnyFlow): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const duration = (input: unknown, what: string) => {
    if (input === undefined) return
    const parsed = parseDuration(input, `flow "${flow.id}": ${what}`)
    if (Result.isFailure(parsed)) problems.push(parsed.failure.message)
  }
  const check = (step: Step): void => {
    switch (step._tag) {
      case "ask":
      case "choose": {
        duration(step.options.timeout, `timeout of "${step.key}"`)
        duration(step.options.idle?.after, `idle of "${step.key}"`)
        const { retries } = step.options
        if (retries !== undefined && (!Number.isInteger(retries) || retries < 0 || retries > 20)) {
          problems.push(`flow "${flow.id}": retries of "${step.key}" must be 0 to 20, got ${String(retries)}`)
        }
        if (step._tag === "choose" && typeof step.choices !== "function") {
          for (const issue of menuIssues(step.choices)) {
            problems.push(`flow "${flow.id}": options of "${step.key}": ${describeMenuIssue(issue)}`)
          }
        }
        return
      }
      case "delay":
        return duration(step.duration, "delay")
      case "branch":
        for (const steps of Object.values(step.branches)) steps.forEach(check)
        return
      default:
        return
    }
  }
  if (flow.id === "") problems.push("a flow has an empty id")
  if (flow.steps.length === 0) problems.push(`flow "${flow.id}" has no steps`)
  duration(flow.options.timeout, "timeout")
  flow.steps.forEach(check)
  return problems
}
