/** Between Postgres' values and ours: the few conversions that all stores share. */
import { DateTime, Option, Schema } from "effect"
import { memoize } from "./memoize.ts"

const isUtc = (value: unknown): value is DateTime.Utc => DateTime.isDateTime(value) && DateTime.isUtc(value)
/** A timestamptz, as `pgTypes.ts` reads it: only looked at, which costs a tenth of what `Schema.DateTimeUtc` does. */
export const TimeColumn = Schema.Unknown.pipe(Schema.refine(isUtc))

/** What a text says; none when it is no JSON. Without a schema: each call of one that may fail starts a fiber. */
export const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** JSON as Postgres takes it in a parameter. */
export const jsonText = (value: unknown): string => JSON.stringify(value)

/** Texts of times kept in memory, about 100 bytes each: a change writes the same times into several rows. */
const timesMax = 20_000

/** ISO 8601 in UTC with milliseconds, on the wire and as a parameter alike. */
export const isoText: (time: DateTime.Utc) => string = memoize(timesMax, DateTime.toEpochMillis, DateTime.formatIso)
export const isoTextOrNull = (time: DateTime.Utc | null): string | null => (time === null ? null : isoText(time))
