/**
 * How values of Postgres arrive: a bigint as a number, a timestamptz as a `DateTime`. Decided where bytes are read, so
 * that rows are as their schemas say and have only to be checked: one field that a schema converts makes its whole row
 * slow (docs/decisions/0011). A bigint beyond the safe integers stays one, and `Schema.Int` refuses it (silences: G7).
 */
import { PgTypes } from "@effect/sql-pg"
import { DateTime, Result } from "effect"

const { OID } = PgTypes

/** The driver's own codec for a type, whose values are turned into others as they are read. */
const converted = <A, B>(oid: number, convert: (value: A) => B): PgTypes.Codec<B> => ({
  encode: (value) => PgTypes.encode(value, oid),
  decode: (bytes) => Result.map(PgTypes.decode(bytes, oid, 1), (value) => convert(value as A))
})

export const types = PgTypes.makeRegistry()
const exact = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : value)
types.register(OID.int8, converted(OID.int8, exact), { arrayOid: OID.int8Array })
types.register(
  OID.timestamptz,
  converted(OID.timestamptz, (date: Date) => DateTime.makeUnsafe(date)),
  { arrayOid: OID.timestamptzArray }
)
