/**
 * Days and months in a time zone for reports: when each begins, and the periods of a range. A day begins with its first
 * instant, even if the clock skips midnight or repeats it. Pure.
 */
import { isoText } from "@coffer/model/isoText"
import { DateTime, Option } from "effect"

/** `2026-11-24`. */
export type Day = string

/** Only named zones: an offset has no daylight saving, and no merchant lives in one. */
const isName = (text: string) => /^[A-Za-z][A-Za-z0-9_+-]{0,31}(\/[A-Za-z0-9_+-]{1,32}){0,2}$/.test(text)

/** A cache of zones by the given name: there are several hundred, and many capitalizations. */
const zones = new Map<string, DateTime.TimeZone.Named>()
const zonesMax = 2_000

const idOf = Option.liftThrowable(
  (timeZone: string) => new Intl.DateTimeFormat("en-US", { timeZone }).resolvedOptions().timeZone
)

/** Undefined where there is no zone of this name. */
export const zoneOf = (name: string): DateTime.TimeZone.Named | undefined => {
  const known = zones.get(name)
  if (known !== undefined || !isName(name)) return known
  // The framework caches every name, so it gets the canonical one.
  const zone = Option.getOrUndefined(Option.flatMap(idOf(name), DateTime.zoneMakeNamed))
  if (zone === undefined) return undefined
  if (zones.size >= zonesMax) zones.clear()
  zones.set(name, zone)
  return zone
}

const dayMillis = 86_400_000
const utcOf = (day: Day) => DateTime.make(`${day}T00:00:00Z`)

/** Undefined unless it is a calendar date from 1970 to 9998. */
export const readDay = (text: string): Day | undefined => {
  if (!/^(19[7-9]\d|[2-9]\d{3})-\d\d-\d\d$/.test(text) || text > "9998") return undefined
  return Option.exists(utcOf(text), (time) => isoText(time).startsWith(text)) ? text : undefined
}

const numberOf = (day: Day): number =>
  Math.floor(DateTime.toEpochMillis(DateTime.makeUnsafe(`${day}T00:00:00Z`)) / dayMillis)
const dayOf = (number: number): Day => isoText(DateTime.makeUnsafe(number * dayMillis)).slice(0, 10)

/** The number of days in an inclusive range. */
export const daysBetween = (from: Day, to: Day): number => numberOf(to) - numberOf(from) + 1

/** This many days up to this one, oldest first. */
export const daysUntil = (last: Day, count: number): ReadonlyArray<Day> =>
  Array.from({ length: count }, (_, index) => dayOf(numberOf(last) - count + 1 + index))

export const dayAfter = (day: Day): Day => dayOf(numberOf(day) + 1)

/** Looked up in the zone's rules, which takes a third of a millisecond. */
const starts = new Map<string, number>()
const startsMax = 10_000

/** The first moment of a day, in milliseconds since 1970. */
export const startOf = (day: Day, zone: DateTime.TimeZone.Named): number => {
  const key = `${zone.id} ${day}`
  const known = starts.get(key)
  if (known !== undefined) return known
  if (starts.size >= startsMax) starts.clear()
  const start = midnightOf(day, zone)
  starts.set(key, start)
  return start
}

const midnightOf = (day: Day, timeZone: DateTime.TimeZone.Named): number => {
  const midnight = DateTime.makeZonedUnsafe(`${day}T00:00:00Z`, {
    timeZone,
    adjustForTimeZone: true,
    // The first of two midnights. A skipped midnight is the time of the skip.
    disambiguation: "compatible"
  })
  return DateTime.toEpochMillis(midnight)
}

/** The day that a moment belongs to. */
export const dayIn = (millis: number, timeZone: DateTime.TimeZone.Named): Day =>
  DateTime.formatIsoDate(DateTime.makeZonedUnsafe(millis, { timeZone }))

export interface Period {
  readonly from: Day
  readonly to: Day
  /** The first moment after it, in milliseconds since 1970. */
  readonly end: number
}

export interface Range {
  readonly from: Day
  readonly to: Day
  readonly interval: "day" | "month" | "range"
}

/** The period with this index, from 0; undefined after the last. A partial month ends with the range. */
export const periodOf = (range: Range, timeZone: DateTime.TimeZone.Named, index: number): Period | undefined => {
  const bounds = boundsOf(range, index)
  return bounds === undefined ? undefined : { ...bounds, end: startOf(dayAfter(bounds.to), timeZone) }
}

const boundsOf = ({ from, interval, to }: Range, index: number): Pick<Period, "from" | "to"> | undefined => {
  switch (interval) {
    case "range":
      return index === 0 ? { from, to } : undefined
    case "day": {
      const day = dayOf(numberOf(from) + index)
      return day > to ? undefined : { from: day, to: day }
    }
    case "month": {
      const months = Number(from.slice(0, 4)) * 12 + Number(from.slice(5, 7)) - 1 + index
      const first = firstOfMonth(months)
      if (first > to) return undefined
      const last = dayOf(numberOf(firstOfMonth(months + 1)) - 1)
      return { from: first > from ? first : from, to: last < to ? last : to }
    }
  }
}

const firstOfMonth = (months: number): Day =>
  `${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, "0")}-01`
