/** What was done twice. */
import type { Fault } from "../wire/Entry.ts"
import { hit, type Hit, touched } from "./Hits.ts"
import type { Said, Story } from "./Story.ts"

export interface Doubles {
  readonly doubled: ReadonlyArray<Hit>
  /** Said again by whoever took over a turn that was cut: nobody could know whether it had been heard. */
  readonly repeated: number
  /** A deadline that acted twice. */
  readonly timers: ReadonlyArray<Hit>
}

export const doubles = (story: Story, faults: ReadonlyArray<Fault>): Doubles => {
  const doubled: Array<Hit> = []
  const timers: Array<Hit> = []
  let repeated = 0
  for (const [chat, all] of story.said) {
    const first = new Map<string, Said>()
    for (const said of all) {
      const before = first.get(said.text)
      // A refused answer is refused in the same words each time.
      if (before === undefined || said.text.startsWith("no ")) {
        first.set(said.text, said)
        continue
      }
      const isMessage = said.text.startsWith("begin") || said.text.startsWith("end")
      const cut = (story.cut.get(chat) ?? []).some(
        ({ at, pid }) => pid === before.pid && at >= before.at && at <= said.at
      )
      const excused = !isMessage && (cut || touched(faults, before.pid, before.at, said.at))
      if (excused) repeated++
      else if (said.text.startsWith("late")) timers.push(hit(`"${said.text}" came twice`, chat, before.at, said.at))
      else if (!said.text.startsWith("end"))
        doubled.push(hit(`"${said.text}" was said twice`, chat, before.at, said.at))
    }
  }
  return { doubled, repeated, timers }
}
