/** Labels over a limit are cut between characters as people see them, with an ellipsis, and stay told apart. */
import { cutText } from "@botmesh/core/spi"

/** @param limit in UTF-16 code units; labels that fit stay as they are. */
export const distinct = (labels: ReadonlyArray<string>, limit: number): ReadonlyArray<string> => {
  const taken = new Set(labels.filter((label) => label.length <= limit))
  return labels.map((label) => {
    if (label.length <= limit) return label
    let short = cutText(label, limit, "utf16")
    for (let copy = 2; taken.has(short); copy++) short = cutText(label, limit, "utf16", `… (${copy})`)
    taken.add(short)
    return short
  })
}
