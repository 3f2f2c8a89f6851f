/** Timestamps from merchants: years 1 to 9999 in UTC, the range of four digits and Postgres. */
import { DateTime, Schema } from "effect"

const earliest = DateTime.makeUnsafe("0001-01-01T00:00:00.000Z")
const latest = DateTime.makeUnsafe("9999-12-31T23:59:59.999Z")

export const isWritable = (time: DateTime.Utc): boolean =>
  DateTime.between(time, { minimum: earliest, maximum: latest })

/** ISO 8601 on the wire. */
export const Moment = Schema.DateTimeUtcFromString.check(
  Schema.makeFilter(isWritable, { expected: "a date and time of the years 1 to 9999" })
)
