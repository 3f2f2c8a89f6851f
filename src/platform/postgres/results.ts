/**
 * How Postgres has answered in the last ten seconds: statements and change sets, and how many of them it refused for
 * reasons that are not in one row (`trouble.ts`). Errors of callers count as answers. A runner whose statements are
 * mostly refused is not ready, even if the connection works.
 */
import { elapsedMillis } from "../runtime/realTime.ts"

const secondsKept = 10
/** Fewer refusals may come from a bug in one call. */
const refusedMin = 3

export type Kind = "statements" | "sets"

interface Second {
  second: number
  answered: number
  refused: number
}

export interface Results {
  readonly note: (kind: Kind, refusal: string | undefined, count?: number) => void
  /** The last SQLSTATE, while more than half of the statements or of the change sets are refused. */
  readonly refusing: () => string | undefined
}

export const make = (): Results => {
  const kept: Readonly<Record<Kind, ReadonlyArray<Second>>> = { statements: seconds(), sets: seconds() }
  let last: string | undefined
  const isRefusing = (kind: Kind) => {
    const since = Math.floor(elapsedMillis() / 1_000) - secondsKept
    let [answered, refused] = [0, 0]
    for (const each of kept[kind]) {
      if (each.second <= since) continue
      answered += each.answered
      refused += each.refused
    }
    return refused >= refusedMin && refused > answered
  }
  return {
    note: (kind, refusal, count = 1) => {
      const second = Math.floor(elapsedMillis() / 1_000)
      const slot = kept[kind][second % secondsKept]!
      if (slot.second !== second) Object.assign(slot, { second, answered: 0, refused: 0 })
      if (refusal === undefined) slot.answered += count
      else {
        slot.refused += count
        last = refusal
      }
    },
    refusing: () => (isRefusing("statements") || isRefusing("sets") ? last : undefined)
  }
}

const seconds = () => Array.from({ length: secondsKept }, (): Second => ({ second: -1, answered: 0, refused: 0 }))
