/**
 * Objects as they were read or written last, so that the next command need not read them again. Only a hint: the
 * version fences what is accepted, and nothing is refused without a fresh read.
 */
import type { Stored } from "./Aggregate.ts"

export interface Snapshots<State> {
  /** Removes it: until the command has ended, the row in the database is not known. */
  readonly take: (id: string) => Stored<State> | undefined
  /** As it is in the database now. */
  readonly keep: (id: string, stored: Stored<State>) => void
  /** Remembers the object as a reader has seen it, unless an equal or newer version is remembered. */
  readonly offer: (id: string, stored: Stored<State>) => void
}

/** At most `max` of them; the one that was remembered first is forgotten first. */
export const makeSnapshots = <State>(max: number): Snapshots<State> => {
  const known = new Map<string, Stored<State>>()
  const keep = (id: string, stored: Stored<State>) => {
    if (max === 0) return
    known.delete(id)
    known.set(id, stored)
    if (known.size > max) known.delete(known.keys().next().value!)
  }
  return {
    take: (id) => {
      const stored = known.get(id)
      known.delete(id)
      return stored
    },
    keep,
    offer: (id, stored) => {
      const remembered = known.get(id)
      if (remembered === undefined || remembered.version < stored.version) keep(id, stored)
    }
  }
}
