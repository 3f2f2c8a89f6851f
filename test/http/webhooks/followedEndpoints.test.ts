/** The list of webhook endpoints is in the order of commits: a reader who follows it misses none. */
import { assert, it } from "@effect/vitest"
import { endpointsMax } from "@coffer/model/Limits"
import { Context, Effect } from "effect"
import { NewIds } from "../../../src/platform/runtime/NewIds.ts"
import { hooksOf } from "../../kit/callers/Hooks.ts"
import { asRunner, freshDatabase, start } from "../../kit/Service.ts"

/** How far the other runner's numbers are behind. */
const behindMillis = 20_000
const url = "https://shop.example/"

const twoRunners = Effect.gen(function* () {
  const database = yield* freshDatabase
  const one = yield* start({ database, env: yield* asRunner })
  const other = yield* start({ database, env: yield* asRunner })
  Context.get(other.context as Context.Context<NewIds>, NewIds).correct(behindMillis)
  const { merchant, sql } = one
  // A new endpoint comes after the existing ones.
  const committed = Effect.map(
    sql<{ id: string; at: string }>`select one->>'id' as id, one->>'createdAt' as at
      from webhook_settings, jsonb_array_elements(endpoints) with ordinality as listed (one, place)
      where merchant_id = ${merchant.merchantId} and mode = 'sandbox' order by place`,
    (rows) => rows.map(({ at, id }) => ({ at: Date.parse(at), id }))
  )
  return { here: hooksOf(one, merchant), there: hooksOf(other, merchant), committed }
})

it.live(
  "endpoints that are made at once at two runners, one of them behind, have numbers in the order of commits",
  () =>
    Effect.gen(function* () {
      const { committed, here, there } = yield* twoRunners
      const turns = Array.from({ length: endpointsMax / 2 }, () => [here.create({ url }), there.create({ url })]).flat()
      yield* Effect.all(turns, { concurrency: "unbounded" })
      const rows = yield* committed
      assert.lengthOf(rows, endpointsMax)
      const [ids, times] = [rows.map(({ id }) => id), rows.map(({ at }) => at)]
      assert.deepStrictEqual(ids, ids.toSorted())
      assert.deepStrictEqual(
        times,
        times.toSorted((a, b) => a - b)
      )
    })
)

it.live("a reader who goes on from the newest endpoint misses none of a runner whose numbers are behind", () =>
  Effect.gen(function* () {
    const { here, there } = yield* twoRunners
    let newest = yield* here.create({ url })
    const seen = new Set<string>([newest.id])
    const makes = [there.create({ url }), there.single(url), here.create({ url }), there.create({ url })]
    for (const [turn, make] of makes.entries()) {
      yield* make
      for (const query of [`ending_before=${newest.id}`, `created[gte]=${newest.created_at}`]) {
        const { data } = yield* here.list(`?${query}`)
        // Others may be of the same millisecond.
        const unseen = data.filter(({ id }: { readonly id: string }) => !seen.has(id))
        assert.lengthOf(unseen, 1, `turn ${turn}, ${query}`)
      }
      newest = (yield* here.list()).data[0]
      seen.add(newest.id)
    }
  })
)
