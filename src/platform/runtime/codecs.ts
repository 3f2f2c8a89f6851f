/** Conversions between values of Postgres and ours that all stores share. */
import { DateTime, Option, Result, Schema } from "effect"

const isUtc = (value: unknown): value is DateTime.Utc => DateTime.isDateTime(value) && DateTime.isUtc(value)
/** A timestamptz, which `pgTypes.ts` has parsed already. This check costs a tenth of `Schema.DateTimeUtc`. */
export const TimeColumn = Schema.Unknown.pipe(Schema.refine(isUtc))

/** None if the text is no JSON. Not by a schema, since each call of one that may fail starts a fiber. */
export const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The same with Node's words for what is wrong. */
export const tryJson = (text: string): Result.Result<unknown, string> =>
  Result.try({ try: () => JSON.parse(text) as unknown, catch: String })

/** JSON as a parameter of a statement. */
export const jsonText = (value: unknown): string => JSON.stringify(value)
