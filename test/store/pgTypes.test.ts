/** How values of Postgres arrive (docs/decisions/0086; silences: G7). */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Schema } from "effect"
import { TimeColumn } from "../../src/platform/runtime/codecs.ts"
import { freshSql } from "../kit/Process.ts"

const decode = Schema.decodeUnknownExit(Schema.Struct({ amount: Schema.Int, at: TimeColumn }))

it.effect("a bigint is read as a number exactly, or refused; a timestamptz as a DateTime to the millisecond", () =>
  Effect.gen(function* () {
    const sql = yield* freshSql
    const read = (amount: string) =>
      Effect.map(sql`select ${amount}::bigint as amount, '2026-11-21 15:59:00.123Z'::timestamptz as at`, ([row]) =>
        decode(row)
      )

    const largest = yield* read(String(Number.MAX_SAFE_INTEGER))
    if (Exit.isFailure(largest)) return assert.fail("a safe integer is refused")
    assert.strictEqual(largest.value.amount, Number.MAX_SAFE_INTEGER)
    assert.strictEqual(DateTime.formatIso(largest.value.at), "2026-11-21T15:59:00.123Z")

    // 2^53 + 1 is no double: as a number it would be another amount.
    assert.isTrue(Exit.isFailure(yield* read("9007199254740993")))
    assert.deepStrictEqual(yield* sql`select 9007199254740993 as amount`, [{ amount: 9007199254740993n }])
    assert.isTrue(Exit.isFailure(decode({ amount: 1, at: "2026-11-21T15:59:00.123Z" })))
  })
)

it.effect("values at the bounds of their types are read as by the driver, in arrays too", () =>
  Effect.gen(function* () {
    const sql = yield* freshSql
    const [numbers] = yield* sql`select array[-1, 0, 1, 4294967296, -9007199254740991, 9007199254740992,
      9223372036854775807, -9223372036854775808, null]::bigint[] as all`
    assert.deepStrictEqual(numbers, {
      all: [-1, 0, 1, 2 ** 32, -Number.MAX_SAFE_INTEGER, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n), null]
    })
    const times = [
      "1969-12-31T23:59:59.999Z",
      "1999-12-31T23:59:59.999Z",
      "2000-01-01T00:00:00.000Z",
      "9999-12-31T23:59:59.999Z"
    ]
    const [row] = yield* sql<{ all: ReadonlyArray<DateTime.Utc> }>`select ${times}::text[]::timestamptz[] as all`
    assert.deepStrictEqual(row!.all.map(DateTime.formatIso), times)
  })
)
