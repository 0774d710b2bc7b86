/** What a transport brings besides what people mean: what a bot is to drop, each for its own reason (I24). */
import type { InboundEvent } from "@botmesh/core/spi"
import type { Chance } from "../world/Chance.ts"
import type { Phone } from "../world/Phone.ts"
import type { Universe } from "../world/Universe.ts"
import { message } from "./Person.ts"

export const makeNoise = (
  universe: Universe,
  phone: Phone,
  chance: Chance,
  chats: ReadonlyArray<string>,
  until: number
) => {
  const network = universe.machine("noise")
  let ids = 0
  let echoed: string | undefined
  let sent = 0
  phone.onArrived(({ chatId }) => {
    sent++
    echoed = chatId
  })
  const event = (chat: string): InboundEvent => {
    const id = `z${++ids}`
    const plain = message(chat, id, "ruido")
    switch (chance.between(0, 5)) {
      case 0:
        return { ...plain, fromMe: true }
      case 1:
        return { ...plain, from: "" }
      case 2:
        // A kind of event that no bot knows yet.
        return JSON.parse(JSON.stringify({ ...plain, _tag: "story" }))
      case 3:
        return { ...plain, from: "malo", sender: "malo" }
      case 4:
        return { ...plain, from: "grupo", sender: chat, isGroup: true, body: "hola a todos" }
      default:
        return { ...plain, body: "basura" }
    }
  }
  const next = (): void => {
    if (universe.now >= until) return
    if (echoed !== undefined && chance.happens(0.2)) phone.toss(message(echoed, `out-${sent}`, "eco de la red"))
    else phone.toss(event(chance.pick(chats) ?? "c0"))
    universe.timer(network, chance.between(300, 3000), next)
  }
  universe.timer(network, chance.between(0, 1000), next)
}
