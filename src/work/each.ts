/** Works on rows that were claimed, some at a time. */
import { Effect } from "effect"

/** Rows that a worker claims at once. */
export const claimedMax = 100
const concurrency = 16

/** One that fails is tried again when its claim ends; the others are not held up. Answers how many there were. */
export const each = <Item, E>(
  items: ReadonlyArray<Item>,
  nameOf: (item: Item) => string,
  work: (item: Item) => Effect.Effect<unknown, E>
): Effect.Effect<number> =>
  Effect.forEach(
    items,
    (item) =>
      work(item).pipe(
        Effect.catchCause((cause) => Effect.logWarning("will be tried again", cause)),
        Effect.annotateLogs({ row: nameOf(item) })
      ),
    { concurrency, discard: true }
  ).pipe(Effect.as(items.length))
