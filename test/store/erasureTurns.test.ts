/** The order of erasures when one merchant has many (docs/decisions/0103). */
import { assert, it } from "@effect/vitest"
import { Context, DateTime, Effect, Option } from "effect"
import { ErasureStore } from "../../src/reads/erasures/ErasureStore.ts"
import { start } from "../kit/Service.ts"

it.live("erasures of one merchant take turns on all runners, and hold up no other merchant's", () =>
  Effect.gen(function* () {
    // Its clock is stopped, so the service's own worker takes nothing.
    const { context, sql } = yield* start({ clock: "test" })
    const store = Context.get(context as Context.Context<ErasureStore>, ErasureStore)
    yield* sql`insert into erasures (erasure_no, version, merchant_id, mode, email_hash, requested_by, status, step,
        requested_at, due_at)
      select merchant || n, 1, nullif(merchant, 'all'), case when merchant <> 'all' then 'live' end, n::text, 'test',
        'running', 'orders', to_timestamp(0), to_timestamp(7200 + n)
      from unnest(array['a', 'b', 'all']) as merchant, generate_series(1, 10) as n`
    const at = (seconds: number) => DateTime.makeUnsafe((8_000 + seconds) * 1_000)
    const lease = (seconds: number) =>
      Effect.map(store.leaseDue(at(seconds), 4), (rows) => rows.map(({ erasure_no }) => erasure_no).toSorted())
    const [one, other] = yield* Effect.all([lease(0), lease(0)], { concurrency: "unbounded" })
    assert.deepStrictEqual([...one, ...other].toSorted(), ["a1", "all1", "b1"])
    // A slice was saved: the row is due again, and its turn continues.
    yield* sql`update erasures set due_at = to_timestamp(7999) where erasure_no = 'a1'`
    assert.deepStrictEqual(yield* lease(1), [])
    assert.deepStrictEqual(yield* store.nextDue, Option.some(at(30)))
    yield* store.note(new Map([["a1", null]]))
    assert.deepStrictEqual(yield* lease(2), ["a2"])
    yield* store.note(new Map([["a2", null]]))
    assert.deepStrictEqual(yield* lease(3), ["a3"])
    // The runner that had them has died.
    assert.deepStrictEqual(yield* lease(40), ["a4", "all2", "b2"])
  }).pipe(Effect.scoped)
)
