/**
 * How values of Postgres arrive: a bigint as a number, a timestamptz as a `DateTime`. Converted where bytes are read,
 * so that rows have the types of their schemas and are only checked: one field that a schema converts makes its whole
 * row slow (docs/decisions/0086). A bigint beyond the safe integers stays one, and `Schema.Int` refuses it (silences:
 * G7).
 */
import { PgTypes } from "@effect/sql-pg"
import { DateTime, identity, Result } from "effect"

const { OID } = PgTypes

/**
 * The codec of a type of 8 bytes. `small` takes those that are safe integers, without a bigint, a view of their bytes
 * or a Date. The driver reads the others, and `large` turns its value into ours.
 */
const convertWith = <A, B>(oid: number, small: (value: number) => B, large: (value: A) => B): PgTypes.Codec<B> => {
  const read = (bytes: Uint8Array, offset: number, size: number) => {
    const value = size === 8 ? int64At(bytes, offset) : NaN
    return Number.isSafeInteger(value)
      ? Result.succeed(small(value))
      : Result.map(PgTypes.decode(bytes.subarray(offset, offset + size), oid, 1), (value) => large(value as A))
  }
  return {
    encode: (value) => PgTypes.encode(value, oid),
    decode: (bytes) => read(bytes, 0, bytes.length),
    read
  }
}

/** Eight bytes as a signed integer, the high ones first; rounded where it is no safe one. */
const int64At = (bytes: Uint8Array, offset: number): number =>
  int32At(bytes, offset) * 2 ** 32 + (int32At(bytes, offset + 4) >>> 0)

const int32At = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!

/** Postgres counts microseconds from here. */
const postgresEpoch = Date.UTC(2000, 0, 1)

export const types = PgTypes.makeRegistry()
types.register(OID.int8, convertWith<bigint, bigint | number>(OID.int8, identity, identity), {
  arrayOid: OID.int8Array
})
types.register(
  OID.timestamptz,
  convertWith(
    OID.timestamptz,
    (micros) => DateTime.makeUnsafe(Math.trunc(micros / 1_000) + postgresEpoch),
    (date: Date) => DateTime.makeUnsafe(date)
  ),
  { arrayOid: OID.timestamptzArray }
)
