/** Between Postgres' values and ours: the few conversions that all stores share. */
import { DateTime, Schema, SchemaTransformation } from "effect"

/** A bigint column: exact, because `Schema.Int` accepts only safe integers (silences: G7). */
export const IntColumn = Schema.BigInt.pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform({ decode: Number, encode: BigInt }))
)

/** A timestamptz column. */
export const TimeColumn = Schema.DateTimeUtcFromDate

/** What a text says; none when it is no JSON. */
export const parseJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** JSON as Postgres takes it in a parameter. */
export const jsonText = Schema.encodeSync(Schema.fromJsonString(Schema.Unknown))

/** ISO 8601 in UTC with milliseconds, on the wire and as a parameter alike. */
export const isoText = DateTime.formatIso
export const isoTextOrNull = (time: DateTime.Utc | null): string | null => (time === null ? null : isoText(time))
