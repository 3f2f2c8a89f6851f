/**
 * Optional fields. Null means the same as an absent field (silences: G18): many languages write an absent value as
 * null. {@link optional} accepts both, and {@link withoutNulls} around the object drops nulls, so that a field of the
 * decoded object is present or absent. This runs once for the object, since a step for each field would cost several
 * times as much.
 */
import { Schema, SchemaGetter } from "effect"

/** `description` says what the field is, in the published document. */
export const optional = <S extends Schema.Top>(schema: S, description?: string) =>
  Schema.optionalKey(
    description === undefined ? Schema.NullOr(schema) : Schema.NullOr(schema).annotate({ description })
  )

type WithoutNulls<Fields, Kept> = {
  readonly [Name in keyof Fields]: Name extends Kept ? Fields[Name] : Exclude<Fields[Name], null>
}

/** Drops the fields that are null. `kept`: fields in which null has its own meaning. */
export const withoutNulls = <S extends Schema.Top, const Kept extends keyof S["Type"] & string = never>(
  object: S,
  kept: ReadonlyArray<Kept> = []
) => {
  const isLeft = ([name, value]: readonly [string, unknown]) => value !== null || kept.includes(name as Kept)
  const left = (fields: S["Type"]): S["Type"] => {
    const entries = Object.entries(fields as object)
    return entries.every(isLeft) ? fields : Object.fromEntries(entries.filter(isLeft))
  }
  return object.pipe(
    Schema.decodeTo(Schema.Unknown as unknown as Schema.declare<WithoutNulls<S["Type"], Kept>>, {
      decode: SchemaGetter.transform(left) as never,
      encode: SchemaGetter.passthrough() as never
    })
  )
}
