/**
 * Follows a list of the API: each object once, oldest first, from a position that can be kept. Ids rise with time, but
 * an object may be committed after one with a higher id. So what is newer than `settled` is read again now and then,
 * until it has been known for a minute: no write of the service takes as long.
 */
import { Clock, Effect } from "effect"
import type { CliFailure } from "./CliFailure.ts"

export interface Position {
  /** Nothing will appear before this id any more. Undefined: from the first object on. */
  readonly settled: string | undefined
  /** Newer ids that were taken, and when, in milliseconds. */
  readonly taken: ReadonlyMap<string, number>
}

export interface Source<Item> {
  readonly idOf: (item: Item) => string
  /** What is newer than the id, or all there is: oldest first, page after page, until `take` says no more. */
  readonly newerThan: (
    id: string | undefined,
    take: (items: ReadonlyArray<Item>) => Effect.Effect<void, CliFailure>
  ) => Effect.Effect<void, CliFailure>
}

export const settleMillis = 60_000
/** Every tenth look reads again what has not settled; the others read what is newer than all that is known. */
const sweepEvery = 10
/** A merchant may read 600 times a minute, and its server wants to read as well. */
const pauseMillis = 1_000
/** After an answer that did not come, more and more, up to this. */
const pauseMillisMax = 15_000

export interface Follower<Item> {
  readonly take: (item: Item) => Effect.Effect<void, CliFailure>
  /** Told after each object and each look: what it has kept is where the next start begins. */
  readonly keep: (position: Position) => Effect.Effect<void, CliFailure>
  /** The service does not answer (once), and it does again (once). */
  readonly lost: (failure: CliFailure) => Effect.Effect<void>
  readonly found: Effect.Effect<void>
}

/** From the newest objects there are, which are not taken: `page`, newest first. */
export const startAt = Effect.fnUntraced(function* <Item>(idOf: (item: Item) => string, page: ReadonlyArray<Item>) {
  const now = yield* Clock.currentTimeMillis
  const position: Position = {
    settled: page.length === 0 ? undefined : idOf(page.at(-1)!),
    taken: new Map(page.slice(0, -1).map((item) => [idOf(item), now]))
  }
  return position
})

/** Goes on until it is interrupted, or fails for good. */
export const follow = Effect.fnUntraced(function* <Item>(
  source: Source<Item>,
  start: Position,
  { found, keep, lost, take }: Follower<Item>
) {
  let position = start
  let misses = 0
  for (let look = 0; ; look++) {
    const from = look % sweepEvery === 0 ? position.settled : (newestOf(position) ?? position.settled)
    const takeNew = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
      for (const item of items) {
        const id = source.idOf(item)
        if (position.taken.has(id)) continue
        yield* take(item)
        position = { ...position, taken: new Map(position.taken).set(id, yield* Clock.currentTimeMillis) }
        yield* keep(position)
      }
    })
    const failure = yield* Effect.match(source.newerThan(from, takeNew), {
      onFailure: (failure) => failure,
      onSuccess: () => undefined
    })
    if (failure === undefined) {
      if (misses > 0) yield* found
      misses = 0
      const settled = settledAt(position, yield* Clock.currentTimeMillis)
      if (settled !== position) yield* keep(settled)
      position = settled
    } else {
      if (!failure.isPassing) return yield* failure
      // The next look reads what may have been missed.
      look = -1
      if (misses++ === 0) yield* lost(failure)
    }
    yield* Effect.sleep(Math.min(pauseMillis * 2 ** misses, pauseMillisMax))
  }
})

const newestOf = ({ taken }: Position): string | undefined =>
  [...taken.keys()].reduce<string | undefined>(
    (newest, id) => (newest === undefined || id > newest ? id : newest),
    undefined
  )

/** The oldest that are known for long enough, without a younger one between them, need not be read again. */
export const settledAt = (position: Position, now: number): Position => {
  const ids = [...position.taken].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const young = ids.findIndex(([, since]) => now - since < settleMillis)
  const old = young === -1 ? ids : ids.slice(0, young)
  if (old.length === 0) return position
  return { settled: old.at(-1)![0], taken: new Map(ids.slice(old.length)) }
}
