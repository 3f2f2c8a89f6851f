/** What campaigns have seen: in memory, or in a file that campaigns beside each other add to and read. */
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import type { Marks } from "./marks.ts"

export interface Total {
  /** Steps of programs without a difference. */
  readonly steps: number
  /** The number of final steps without a new signature. */
  readonly quiet: number
}

export interface Journal {
  /** What all have seen. It becomes part of the marks. */
  readonly read: () => Total
  /** Adds these steps, and what is new in the marks. */
  readonly add: (steps: number) => Total
}

export const journalIn = (file: string | undefined, marks: Marks): Journal => {
  const own: Array<string> = []
  const lines = (): ReadonlyArray<string> => {
    if (file === undefined) return own
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []
  }
  const write = (fresh: ReadonlyArray<string>) => {
    if (file === undefined) own.push(...fresh)
    else appendFileSync(file, fresh.map((line) => `${line}\n`).join(""))
  }
  const read = (): Total => {
    let [steps, quiet] = [0, 0]
    for (const line of lines()) {
      const [kind] = line.split(" ", 1)
      const text = line.slice(kind!.length + 1)
      if (kind === "steps") [steps, quiet] = [steps + Number(text), quiet + Number(text)]
      if (kind === "signatures") {
        quiet = 0
        marks.signatures.set(text, marks.signatures.get(text) ?? 0)
      }
      if (kind === "succeeded" || kind === "codes") marks[kind].add(text)
    }
    return { steps, quiet }
  }
  return {
    read,
    add: (steps) => {
      const known = new Set(lines())
      const found = (["signatures", "succeeded", "codes"] as const).flatMap((kind) =>
        [...marks[kind].keys()].map((text) => `${kind} ${text}`)
      )
      // The steps that have brought a new signature are none without one.
      write([`steps ${steps}`, ...found.filter((line) => !known.has(line))])
      return read()
    }
  }
}
