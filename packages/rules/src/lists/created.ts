/**
 * The filters `created[gte]` and `created[lte]`: parsing timestamps (silences: G9), and converting a range of times to
 * a range of ids, which begin with their time. Pure.
 */
import { isoText } from "@coffer/model/isoText"
import { firstIdBody } from "@coffer/model/Ids"
import { isWritable } from "@coffer/model/Times"
import { DateTime, Duration, Option, Result } from "effect"
import { InvalidField } from "../InvalidField.ts"

/** Both ends are inclusive; a missing end is open. */
export interface CreatedRange {
  readonly from: DateTime.Utc | undefined
  readonly to: DateTime.Utc | undefined
}

export const readCreated = (query: {
  readonly "created[gte]"?: string
  readonly "created[lte]"?: string
}): Result.Result<CreatedRange, InvalidField> => readTimes(query, "created[gte]", "created[lte]")

/** When the wanted orders were paid. */
export const readPaid = (query: {
  readonly "paid_at[gte]"?: string
  readonly "paid_at[lte]"?: string
}): Result.Result<CreatedRange, InvalidField> => readTimes(query, "paid_at[gte]", "paid_at[lte]")

const readTimes = <First extends string, Last extends string>(
  query: { readonly [P in First | Last]?: string },
  first: First,
  last: Last
): Result.Result<CreatedRange, InvalidField> =>
  Result.flatMap(readEnd<First>(query, first), (from) =>
    Result.map(readEnd<Last>(query, last), (to) => ({
      from,
      // A Unix second means the whole second, so that there are no gaps between ranges (silences: P16).
      to: to !== undefined && isSeconds(query[last]!) ? DateTime.add(to, { milliseconds: 999 }) : to
    }))
  )

const readEnd = <Param extends string>(query: { readonly [P in Param]?: string }, param: Param) => {
  const text = query[param]
  const time = text === undefined ? undefined : readTimestamp(text)
  return text === undefined || time !== undefined
    ? Result.succeed(time)
    : Result.fail(new InvalidField({ param, problem: notMoment(text) }))
}

/** `text`: what was sent instead. */
export const notMoment = (text = ""): string =>
  /^\d{13}$/.test(text)
    ? `must be in seconds, not in milliseconds. Use ${text.slice(0, -3)}`
    : /^\d{4}-\d\d-\d\d$/.test(text) && isCalendarDate(text)
      ? `must have a time beside the day. Use ${text}T00:00:00Z`
      : "must be an ISO 8601 date and time, such as 2026-11-29T08:30:00Z, or seconds of Unix time in digits"

/** Undefined when it is neither ISO 8601 nor Unix seconds. */
export const readTimestamp = (text: string): DateTime.Utc | undefined =>
  isSeconds(text) ? readSeconds(Number(text)) : readIso(text)

const isSeconds = (text: string): boolean => /^\d{1,12}$/.test(text)

/** 9999-12-31T23:59:59Z. A larger value is probably in milliseconds. */
const secondsMax = 253_402_300_799

const readSeconds = (seconds: number) => (seconds <= secondsMax ? DateTime.makeUnsafe(seconds * 1_000) : undefined)

const isoPattern = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):([0-5]\d)(:[0-5]\d(?:\.\d{1,9})?)?(Z|[-+ ]\d\d:?\d\d)?$/

// Without an offset it is UTC, like all our timestamps. A plus that was not percent-encoded arrives as a space.
const readIso = (text: string): DateTime.Utc | undefined => {
  const [, date, hour, minute, second = ":00", offset = "Z"] = isoPattern.exec(text) ?? []
  if (date === undefined || !isCalendarDate(date)) return undefined
  const zone = offset.replace(" ", "+").replace(/(\d\d):?(\d\d)$/, "$1:$2")
  // An offset may lead outside the four-digit years.
  return Option.getOrUndefined(Option.filter(DateTime.make(`${date}T${hour}:${minute}${second}${zone}`), isWritable))
}

// The 30th of February would be parsed as the 2nd of March.
const isCalendarDate = (date: string): boolean =>
  Option.exists(DateTime.make(`${date}T00:00:00Z`), (day) => isoText(day).startsWith(date))

/**
 * How far the time in an id and `created_at` may differ: two readings of the clock, clocks of several runners, ids that
 * keep counting while a clock is set back.
 */
export const idTimeSlack = "5 minutes"

/** A range of ids with exclusive ends. */
export interface IdRange {
  readonly above: string
  readonly below: string
}

/** All ids with this prefix that objects created in the range can have. */
export const idsCreated = (prefix: string, { from, to }: CreatedRange): IdRange => {
  const slack = Duration.toMillis(idTimeSlack)
  const at = (millis: number) => prefix + firstIdBody(millis)
  return {
    above: from === undefined ? prefix : at(from.epochMilliseconds - slack),
    // `Z` is the highest digit, and ids are shorter.
    below: to === undefined ? prefix + "Z".repeat(27) : at(to.epochMilliseconds + slack + 1)
  }
}

export const newerThan = (range: IdRange, id: string): IdRange => (id > range.above ? { ...range, above: id } : range)

export const olderThan = (range: IdRange, id: string): IdRange => (id < range.below ? { ...range, below: id } : range)
