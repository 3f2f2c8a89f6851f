/**
 * Follows a list of the API: each object once, oldest first, from a position that can be kept. The service never
 * inserts a row before one that it has shown (silences: P20), so everything newer than the newest object is new.
 */
import { Effect } from "effect"
import type { CliFailure } from "./CliFailure.ts"

/** The newest object that was processed. Undefined: start with the first object. */
export type Position = string | undefined

export interface Source<Item> {
  readonly idOf: (item: Item) => string
  /** Items newer than the id, or all there are: oldest first, page after page, until `take` says no more. */
  readonly newerThan: (
    id: Position,
    take: (items: ReadonlyArray<Item>) => Effect.Effect<void, CliFailure>
  ) => Effect.Effect<void, CliFailure>
}

/** A merchant may read 600 times a minute, and its server needs reads, too. */
const pauseMillis = 1_000
/** The backoff after a missing answer grows up to this. */
const pauseMillisMax = 15_000

export interface Follower<Item> {
  readonly take: (item: Item) => Effect.Effect<void, CliFailure>
  /** Called after each object: the next start continues from the saved position. */
  readonly keep: (position: Position) => Effect.Effect<void, CliFailure>
  /** Called once when the service stops answering, and once when it answers again. */
  readonly lost: (failure: CliFailure) => Effect.Effect<void>
  readonly found: Effect.Effect<void>
}

/** Runs until it is interrupted, or fails for good. */
export const follow = Effect.fnUntraced(function* <Item>(
  source: Source<Item>,
  start: Position,
  { found, keep, lost, take }: Follower<Item>
) {
  let position = start
  let misses = 0
  const takeNew = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
    for (const item of items) {
      const id = source.idOf(item)
      // Where the object at the position is no longer kept, the list is read from its first object.
      if (position !== undefined && id <= position) continue
      yield* take(item)
      position = id
      yield* keep(position)
    }
  })
  while (true) {
    const failure = yield* Effect.match(source.newerThan(position, takeNew), {
      onFailure: (failure) => failure,
      onSuccess: () => undefined
    })
    if (failure === undefined) {
      if (misses > 0) yield* found
      misses = 0
    } else {
      if (!failure.isPassing) return yield* failure
      if (misses++ === 0) yield* lost(failure)
    }
    yield* Effect.sleep(Math.min(pauseMillis * 2 ** misses, pauseMillisMax))
  }
})
