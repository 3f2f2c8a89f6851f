/**
 * One simulator: its books, clock, ids and due jobs. Every read or write runs in one step of the event loop, so it is
 * atomic.
 */
import { createHash, randomBytes } from "node:crypto"
import { type Book, type Change, makeBook } from "./Book.ts"
import { type AccountSettings, usualSettings } from "./accounts.ts"
import type { SimulatedClock } from "./SimulatedClock.ts"
import type { Job, Kind, Task } from "./kinds.ts"
import { makeQueue } from "./Queue.ts"
import type { Settings } from "./settings.ts"

/** The request that caused an event; nulls for automatic events. */
export interface Cause {
  readonly id: string | null
  readonly idempotencyKey: string | null
}
export const byItself: Cause = { id: null, idempotencyKey: null }

export interface World {
  settings: Settings
  /** Currencies without a balance: the currency and rate of their exchange. */
  readonly exchange: Map<string, { readonly currency: string; readonly rate: number }>
  /** Accounts whose settings a test has changed. */
  readonly accounts: Map<string, AccountSettings>
  readonly accountOf: (book: Book) => AccountSettings
  /** Webhook endpoints to which thin events are sent. */
  readonly thin: Set<string>
  readonly clock: SimulatedClock
  readonly books: ReadonlyMap<string, Book>
  readonly book: (account: string, livemode: boolean) => Book
  /** An object with its book. Ids are unique across all books. */
  readonly find: (kind: Kind, id: string) => Book | undefined
  readonly newId: (prefix: string, length?: number) => string
  /** Seconds, as Stripe writes times. */
  readonly seconds: () => number
  cause: Cause
  readonly schedule: (book: Book, at: number, task: Task) => string
  readonly nextDue: () => number | undefined
  /** Takes the next job that is due by then. */
  readonly takeDue: (millis: number) => { readonly book: Book; readonly job: Job } | undefined
  /** The changes since the last call. */
  readonly takeChanges: () => ReadonlyArray<Change>
  /** The whole state, as changes from empty. */
  readonly everything: () => ReadonlyArray<Change>
  /** Restores a change of an earlier run. */
  readonly restore: (change: Change) => void
  /** Called when something may have become due. */
  wake: () => void
}

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Random letters and digits; reproducible with a seed. */
const makeIds = (seed: string | undefined) => {
  let count = 0
  const bytesOf = (length: number) => {
    if (seed === undefined) return randomBytes(length)
    return createHash("shake256", { outputLength: length }).update(`${seed}/${count++}`).digest()
  }
  return (prefix: string, length = 24) =>
    `${prefix}_${Array.from(bytesOf(length), (byte) => letters[byte % letters.length]).join("")}`
}

export const makeWorld = (settings: Settings, clock: SimulatedClock, seed: string | undefined): World => {
  const newId = makeIds(seed)
  let changes: Array<Change> = []
  const books = new Map<string, ReturnType<typeof makeBook>>()
  const accounts = new Map<string, AccountSettings>()
  const due = makeQueue<{ readonly book: Book; readonly id: string }>()

  const bookOf = (account: string, livemode: boolean) => {
    const key = `${account}/${livemode ? "live" : "test"}`
    const there = books.get(key)
    if (there !== undefined) return there
    const fresh = makeBook(account, livemode, (change) => void changes.push(change))
    books.set(key, fresh)
    return fresh
  }

  const world: World = {
    settings,
    exchange: new Map(),
    accounts,
    accountOf: ({ account }) => accounts.get(account) ?? usualSettings,
    thin: new Set(),
    clock,
    books,
    book: bookOf,
    find: (kind, id) => Array.from(books.values()).find((book) => book.get(kind, id) !== undefined),
    newId,
    seconds: () => Math.floor(clock.millis() / 1000),
    cause: byItself,
    schedule: (book, at, task) => {
      const job = book.put("x.job", { id: newId("job"), at, task })
      due.add(at, { book, id: job.id })
      world.wake()
      return job.id
    },
    nextDue: () => due.first(),
    takeDue: (millis) => {
      for (let taken = due.take(millis); taken !== undefined; taken = due.take(millis)) {
        const job = taken.book.get("x.job", taken.id)
        // It was done early, or postponed.
        if (job === undefined || job.at > millis) continue
        taken.book.drop("x.job", taken.id)
        return { book: taken.book, job }
      }
      return undefined
    },
    takeChanges: () => {
      const taken = changes
      changes = []
      return taken
    },
    everything: () => Array.from(books.values()).flatMap((book) => book.everything()),
    restore: ([key, kind, id, value]) => {
      const [account, mode] = key.split("/")
      const book = bookOf(account!, mode === "live")
      book.apply(kind, id, value)
      if (kind === "x.job" && value !== null) due.add((value as Job).at, { book, id })
    },
    wake: () => {}
  }
  return world
}
