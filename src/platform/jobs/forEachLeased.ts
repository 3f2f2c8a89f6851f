/** Works on rows that were claimed, some at a time. */
import { Cause, Effect } from "effect"
import { isDatabaseTrouble } from "../postgres/trouble.ts"

/** Rows that a worker claims at once. */
export const claimedMax = 100
const concurrency = 16

/** Numbers that one line of the log holds. */
const namedMax = 10

/**
 * One that fails is tried again when its claim ends; the others are not held up. Those that fail for the same reason
 * are one line of the log. Answers how many rows there were.
 */
export const forEachLeased = <Item, E>(
  what: string,
  items: ReadonlyArray<Item>,
  nameOf: (item: Item) => string,
  work: (item: Item) => Effect.Effect<unknown, E>
): Effect.Effect<number> =>
  Effect.suspend(() => {
    const failed = new Map<string, Array<string>>()
    const note = (name: string, reason: string) => {
      failed.set(reason, [...(failed.get(reason) ?? []), name])
    }
    return Effect.forEach(
      items,
      (item) =>
        Effect.catchCause(work(item), (cause) => {
          const reason = reasonOf(cause)
          if (reason !== undefined) return Effect.sync(() => note(nameOf(item), reason))
          return Effect.logError(`${what} ${nameOf(item)} will be tried again`, cause)
        }),
      { concurrency, discard: true }
    ).pipe(
      Effect.andThen(
        Effect.suspend(() =>
          Effect.forEach(
            failed,
            ([reason, names]) => {
              const others = names.length === 1 ? "" : ` and ${names.length - 1} more`
              const line = `${what} ${names[0]}${others} will be tried again: ${reason}`
              return Effect.annotateLogs(Effect.logWarning(line), { rows: names.slice(0, namedMax).join() })
            },
            { discard: true }
          )
        )
      ),
      Effect.as(items.length)
    )
  })

/** In a word, what is no fault of this program; undefined for all else, which is logged with its stack. */
const reasonOf = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Cause.squash(cause)
  if (isDatabaseTrouble(error)) return "the database does not answer"
  if (Cause.hasDies(cause) || typeof error !== "object" || error === null || !("_tag" in error)) return undefined
  return "reason" in error ? `${String(error._tag)}, ${String(error.reason)}` : String(error._tag)
}
