/** Conversions between values of Postgres and ours that all stores share. */
import { DateTime, Option, Schema } from "effect"
import { memoize } from "./memoize.ts"

const isUtc = (value: unknown): value is DateTime.Utc => DateTime.isDateTime(value) && DateTime.isUtc(value)
/** A timestamptz, which `pgTypes.ts` has parsed already. This check costs a tenth of `Schema.DateTimeUtc`. */
export const TimeColumn = Schema.Unknown.pipe(Schema.refine(isUtc))

/** None if the text is no JSON. Not by a schema, since each call of one that may fail starts a fiber. */
export const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** JSON as a parameter of a statement. */
export const jsonText = (value: unknown): string => JSON.stringify(value)

/** Formatted times in memory, about 100 bytes each. They help because a change writes one time into several rows. */
const timesMax = 20_000

/** ISO 8601 in UTC with milliseconds, for the wire and for parameters. */
export const isoText: (time: DateTime.Utc) => string = memoize(timesMax, DateTime.toEpochMillis, DateTime.formatIso)
export const isoTextOrNull = (time: DateTime.Utc | null): string | null => (time === null ? null : isoText(time))
