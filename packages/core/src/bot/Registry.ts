/** What is registered in a bot, and how it is taken back: every add answers with its undo (B8). */
import { Duration, Effect, Result } from "effect"
import type { Chat } from "../chat/Chat.ts"
import type { Registered } from "../conversation/Live.ts"
import type { AnyFlow, Flow } from "../conversation/Flow.ts"
import { compile, gotosOf } from "../conversation/Program.ts"
import { Commands, parseCommand } from "../handlers/Commands.ts"
import { Matchers } from "../handlers/Matchers.ts"
import { type Pattern, toTriggers, type Trigger } from "../handlers/Trigger.ts"
import { HookList } from "../hooks/Hooks.ts"
import type { CallHooks, MessageHooks } from "../inbound/InboundPort.ts"
import { normalise } from "../model/Normalise.ts"
import { parseDuration } from "../model/Duration.ts"
import type { Bind } from "../model/Erased.ts"
import type { Outgoing, Receipt } from "../model/Content.ts"
import type { SignalEvent } from "../model/Event.ts"
import type { SendFailure, SendHookResult } from "../outbound/Send.ts"
import { BotDefinitionError } from "./Definition.ts"
import { flowProblems } from "./FlowProblems.ts"
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
  readonly call: CallHooks = { before: new HookList(), after: new HookList(), onError: new HookList() }
  readonly beforeSend = new HookList<Outgoing, SendHookResult>()
  readonly afterSend = new HookList<{ readonly message: Outgoing; readonly receipt: Receipt }>()
  readonly failedSend = new HookList<{ readonly message: Outgoing; readonly error: SendFailure }>()
  readonly signals = new HookList<{ readonly chat: Chat; readonly event: SignalEvent }>()
  idle: ReadonlyArray<IdleHandler> = []
  readonly flows = new Map<string, Registered>()
  private readonly flowUndo = new Map<string, Undo>()
  private readonly flowTriggers = new Map<string, ReadonlyArray<Trigger>>()
  private readonly texts = new Map<string, string>()

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
        if (!def.triggers.some(canMatch)) problems.push("a handler has no pattern or type: it could never match")
        return all(def.triggers.map((trigger) => this.trigger(trigger, { _tag: "run", run, bind }, problems)))
      }
      case "command": {
        if (parseCommand(`/${def.name}`)?.name !== normalise(def.name)) {
          problems.push(`/${def.name} is no command: want one word`)
          return nothing
        }
        const undo = this.commands.add({ name: def.name, description: def.description, run: def.run, bind })
        if (undo !== undefined) return undo
        const known = this.commands.list().map(({ name }) => `/${name}`)
        problems.push(`the command /${def.name} is registered twice; registered are ${known.join(", ")}`)
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
      case "onFailure": {
        const { event, run } = def
        const lists = event === "any" ? (["message", "call"] as const) : [event]
        return all(lists.map((list) => this[list].onError.add({ run, bind })))
      }
      case "failedSend":
        return this.failedSend.add({ run: def.run, bind })
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
    const form = normalise(trigger.pattern)
    if (form === "") {
      problems.push(`the trigger ${JSON.stringify(trigger.pattern)} is empty in normal form: it could never match`)
      return nothing
    }
    const mark = `${trigger.match} ${trigger.scope} ${form}`
    const first = this.texts.get(mark)
    if (first !== undefined) {
      problems.push(
        `the trigger ${JSON.stringify(trigger.pattern)} is registered twice (first as ${JSON.stringify(first)})`
      )
      return nothing
    }
    this.texts.set(mark, trigger.pattern)
    const undo = this.matchers.add(trigger, reaction)
    return () => {
      this.texts.delete(mark)
      undo()
    }
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
    const found = flowProblems(flow, triggers.length > 0)
    problems.push(...found)
    if (found.length > 0) return nothing
    return this.addRegistered({ id: flow.id, program: compile(flow, kind), bind }, triggers, problems)
  }

  private addRegistered(registered: Registered, triggers: ReadonlyArray<Trigger>, problems: Array<string>): Undo {
    const { id } = registered
    this.flows.set(id, registered)
    this.flowTriggers.set(id, triggers)
    const undo = all(triggers.map((trigger) => this.trigger(trigger, { _tag: "flow", flow: id }, problems)))
    const remove = () => {
      undo()
      if (this.flows.get(id) !== registered) return
      this.flows.delete(id)
      this.flowTriggers.delete(id)
      this.flowUndo.delete(id)
    }
    this.flowUndo.set(id, remove)
    return remove
  }

  /** Once everything is registered: every goto must name a flow. By flow and target, what is wrong in words. */
  danglingGotos(): ReadonlyMap<string, string> {
    const known = [...this.flows.keys()].join(", ")
    const found = new Map<string, string>()
    for (const { id, program } of this.flows.values()) {
      for (const target of gotosOf(program.nodes.map((node) => node.step))) {
        if (this.flows.has(target)) continue
        found.set(`${id} ${target}`, `flow "${id}" goes to "${target}", which is not registered; known are ${known}`)
      }
    }
    return found
  }
  /** @param before those that were there before what is judged now: a flow taken out leaves them to others */
  unknownGotos(before: ReadonlyMap<string, string> = new Map()): ReadonlyArray<string> {
    return [...this.danglingGotos()].filter(([goto]) => !before.has(goto)).map(([, problem]) => problem)
  }

  /**
   * Registers a flow while the bot runs (B16). A replaced one keeps its triggers unless another is given; when the new
   * one has problems the old one stays as it was.
   */
  registerFlow<S, E, R>(flow: Flow<S, E, R>, trigger: Pattern | undefined, bind: Bind, replace: boolean) {
    return Effect.suspend(() => {
      const problems: Array<string> = []
      const before = this.danglingGotos()
      const old = replace ? this.flows.get(flow.id) : undefined
      const kept = this.flowTriggers.get(flow.id) ?? []
      if (old !== undefined) this.flowUndo.get(flow.id)?.()
      const triggers = trigger === undefined ? (old === undefined ? [] : kept) : toTriggers(trigger)
      const undo = this.addFlow(flow, "flow", triggers, bind, problems)
      if (problems.length === 0) problems.push(...this.unknownGotos(before))
      if (problems.length === 0) return Effect.void
      undo()
      if (old !== undefined) this.addRegistered(old, kept, [])
      return Effect.fail(new BotDefinitionError({ bot: this.bot, problems }))
    })
  }
  unregisterFlow(id: string): boolean {
    const undo = this.flowUndo.get(id)
    undo?.()
    return undo !== undefined
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

const canMatch = (trigger: Trigger): boolean => trigger._tag !== "type" || trigger.types.length > 0
const nothing: Undo = () => {}
const all =
  (undos: ReadonlyArray<Undo>): Undo =>
  () => {
    for (const undo of undos) undo()
  }
