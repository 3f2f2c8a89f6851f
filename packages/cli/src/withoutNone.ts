/** Converts flags for the API: omits missing ones, and parses times as people type them. */
import { DateTime, Duration, Effect, Option, type Types } from "effect"
import { failed } from "./CliFailure.ts"

type WithoutNone<Fields> = {
  readonly [Name in keyof Fields]?: Fields[Name] extends Option.Option<infer Value> ? Value : never
}

/** Only the flags that were given. */
export const withoutNone = <Fields extends Readonly<Record<string, Option.Option<unknown>>>>(
  fields: Fields
): Types.Simplify<WithoutNone<Fields>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  ) as Types.Simplify<WithoutNone<Fields>>

const units = { s: "seconds", m: "minutes", h: "hours", d: "days" } as const

/**
 * `2h` before `now`, which is only evaluated then; the start of a day in UTC, the zone of displayed times; or a time
 * for the API.
 */
export const sinceOf = Effect.fnUntraced(function* <E, R>(since: string, now: Effect.Effect<DateTime.Utc, E, R>) {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(since) ?? []
  if (count !== undefined) {
    const ago = Duration.fromInputUnsafe(`${Number(count)} ${units[unit as keyof typeof units]}`)
    return DateTime.formatIso(DateTime.subtractDuration(yield* now, ago))
  }
  const daysAgo = ["today", "yesterday"].indexOf(since)
  if (daysAgo >= 0) {
    const day = DateTime.removeTime(yield* now)
    return DateTime.formatIso(DateTime.subtract(day, { days: daysAgo }))
  }
  const moment = DateTime.make(since)
  if (Option.isSome(moment) && /^\d{4}-/.test(since)) return DateTime.formatIso(moment.value)
  return yield* failed(
    "bad_since",
    `--since: "${since}" is not a time.`,
    "use an age (30s, 15m, 2h, 7d), yesterday, or 2026-11-23T06:00:00Z",
    2
  )
})
