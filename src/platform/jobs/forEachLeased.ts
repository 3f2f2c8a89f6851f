/** Works on leased rows, several at a time. */
import { Cause, type Duration, Effect } from "effect"
import { type Outcomes, workMax } from "../postgres/leasedRows.ts"
import { isDatabaseTrouble } from "../postgres/trouble.ts"

/** Rows that a worker leases at once: as many as it works on at once, so that no lease runs while its row waits. */
export const leasedMax = 16

/** Names that one log line lists. */
const namedMax = 10

/**
 * A row whose work fails is retried when its lease ends, and blocks no other row. Work that takes longer than `within`
 * is interrupted, so that it has ended when the lease does. Rows that fail for the same reason share one log line.
 * Calls `note` with the outcome of each: why it failed, or null. Answers the number of rows. Model: models/leases.pml.
 */
export const forEachLeased = <Item, E>(
  what: string,
  items: ReadonlyArray<Item>,
  nameOf: (item: Item) => string,
  work: (item: Item) => Effect.Effect<unknown, E>,
  note: (outcomes: Outcomes) => Effect.Effect<void> = () => Effect.void,
  within: Duration.Input = workMax
): Effect.Effect<number> =>
  Effect.gen(function* () {
    const failed = new Map<string, Array<string>>()
    const outcomes = new Map<string, string | null>(items.map((item) => [nameOf(item), null]))
    yield* Effect.forEach(
      items,
      (item) =>
        Effect.catchCause(inTime(work(item), within), (cause) => {
          const reason = expectedReason(cause)
          outcomes.set(nameOf(item), reason ?? unexpected)
          if (reason === undefined) return Effect.logError(`${what} ${nameOf(item)} will be retried`, cause)
          return Effect.sync(() => failed.set(reason, [...(failed.get(reason) ?? []), nameOf(item)]))
        }),
      { concurrency: leasedMax, discard: true }
    )
    for (const [reason, names] of failed) yield* logFailed(what, names, reason)
    if (outcomes.size > 0) yield* note(outcomes)
    return items.length
  })

const inTime = <A, E>(work: Effect.Effect<A, E>, within: Duration.Input) =>
  Effect.timeoutOrElse(work, {
    duration: within,
    orElse: () => Effect.fail({ _tag: "TookTooLong", reason: `more than ${String(within)}` } as const)
  })

/** The row's text for a failure that the log has in full, with its stack. */
const unexpected = "an unexpected error, which the log has"

const logFailed = (what: string, names: ReadonlyArray<string>, reason: string) => {
  const others = names.length === 1 ? "" : ` and ${names.length - 1} more`
  const line = `${what} ${names[0]}${others} will be tried again: ${reason}`
  return Effect.annotateLogs(Effect.logWarning(line), { rows: names.slice(0, namedMax).join() })
}

/** A short reason for a failure that is not a bug of this program; undefined for others, which need their stack. */
const expectedReason = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Cause.squash(cause)
  if (isDatabaseTrouble(error)) return "the database does not answer"
  if (Cause.hasDies(cause) || typeof error !== "object" || error === null || !("_tag" in error)) return undefined
  return "reason" in error ? `${String(error._tag)}, ${String(error.reason)}` : String(error._tag)
}
