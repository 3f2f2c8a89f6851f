/** All data of an account in one mode. Values are replaced, never mutated, so that answers do not change. */
import type { Kind, Kinds } from "./kinds.ts"

export interface Book {
  readonly key: string
  readonly account: string
  readonly livemode: boolean
  readonly get: <K extends Kind>(kind: K, id: string) => Kinds[K] | undefined
  readonly put: <K extends Kind>(kind: K, value: Kinds[K]) => Kinds[K]
  readonly drop: (kind: Kind, id: string) => void
  /** Newest first. With a parent, only those that reference it as their charge, payment intent or source. */
  readonly newest: <K extends Kind>(kind: K, parent?: string) => Generator<Kinds[K]>
  readonly count: (kind: Kind) => number
}

/** As it is restored and written. */
export interface OpenBook extends Book {
  readonly apply: (kind: Kind, id: string, value: unknown) => void
  readonly everything: () => ReadonlyArray<Change>
}

/** One change: the new value for an id; null removes it. */
export type Change = readonly [book: string, kind: Kind, id: string, value: unknown]

interface Shelf {
  readonly values: Map<string, { readonly id: string }>
  readonly order: Array<string>
  readonly byParent: Map<string, Array<string>>
}

/** Fields that reference an object's parent. */
const parentFields = ["charge", "payment_intent", "source"] as const

export const makeBook = (account: string, livemode: boolean, changed: (change: Change) => void): OpenBook => {
  const key = `${account}/${livemode ? "live" : "test"}`
  const shelves = new Map<Kind, Shelf>()
  const shelf = (kind: Kind): Shelf => {
    const there = shelves.get(kind)
    if (there !== undefined) return there
    const fresh = { values: new Map(), order: [], byParent: new Map() }
    shelves.set(kind, fresh)
    return fresh
  }

  const apply = (kind: Kind, id: string, value: unknown) => {
    const { byParent, order, values } = shelf(kind)
    if (value === null) {
      values.delete(id)
      return
    }
    const before = values.get(id)
    values.set(id, value as { id: string })
    if (kind.startsWith("x.")) return
    if (before === undefined) order.push(id)
    // A session has no payment intent until a buyer begins to pay.
    const had = before === undefined ? [] : parentsOf(before)
    for (const parent of parentsOf(value)) {
      if (had.includes(parent)) continue
      const children = byParent.get(parent)
      if (children === undefined) byParent.set(parent, [id])
      else children.push(id)
    }
  }

  return {
    key,
    account,
    livemode,
    apply,
    everything: () =>
      Array.from(shelves).flatMap(([kind, { values }]) =>
        Array.from(values, ([id, value]): Change => [key, kind, id, value])
      ),
    get: (kind, id) => shelf(kind).values.get(id) as never,
    put: (kind, value) => {
      apply(kind, value.id, value)
      changed([key, kind, value.id, value])
      return value
    },
    drop: (kind, id) => {
      apply(kind, id, null)
      changed([key, kind, id, null])
    },
    newest: function* (kind, parent) {
      const { byParent, order, values } = shelf(kind)
      const ids = parent === undefined ? order : (byParent.get(parent) ?? [])
      for (let index = ids.length - 1; index >= 0; index--) {
        const value = values.get(ids[index]!)
        if (value !== undefined) yield value as never
      }
    },
    count: (kind) => shelf(kind).values.size
  }
}

const parentsOf = (value: unknown): ReadonlyArray<string> =>
  parentFields.flatMap((field) => {
    const parent = (value as Record<string, unknown>)[field]
    return typeof parent === "string" ? [parent] : []
  })
