/** Statements about several deliveries, as they are sent: rows in one order, and only the necessary ones. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrayLiteral } from "../../src/platform/postgres/arrayLiteral.ts"
import { type Ended, recordAttempts } from "../../src/webhooks/deliveries/deliveryResults.ts"
import * as DeliveryStore from "../../src/webhooks/deliveries/DeliveryStore.ts"

const at = DateTime.makeUnsafe(1_000)
const unsorted = ["d", "b", "e", "a", "c"]
const sorted = unsorted.toSorted()

/** A database that records its statements. */
const noting = () => {
  const asked: Array<{ readonly text: string; readonly params: ReadonlyArray<unknown> }> = []
  const note = (text: string, params: ReadonlyArray<unknown>) => Effect.sync(() => (asked.push({ text, params }), []))
  const sql = Object.assign(
    (parts: ReadonlyArray<string>, ...params: ReadonlyArray<unknown>) => note(parts.join("?"), params),
    {
      unsafe: note
    }
  )
  return { asked, sql: sql as unknown as SqlClient.SqlClient }
}

const endedOf = (id: string, health: Ended["health"] = null): Ended => ({
  delivery: {
    id,
    attempts: 0,
    destination: "shop.example",
    url: "https://shop.example/",
    endpoint_id: "whe_1"
  } as Ended["delivery"],
  attempt: { at, url: "https://shop.example/", status: "pending", nextAttemptAt: at } as Ended["attempt"],
  health
})

it.effect(
  "results of a batch are written in the order of their deliveries' ids, so that two do not wait for each other",
  () =>
    Effect.gen(function* () {
      const { asked, sql } = noting()
      yield* recordAttempts(
        sql,
        unsorted.map((id) => endedOf(id))
      )
      assert.strictEqual(asked[0]!.params[0], arrayLiteral(sorted))
    })
)

it.effect("leases are given back in the order of their deliveries' ids, each with the end that it had", () =>
  Effect.gen(function* () {
    const { asked, sql } = noting()
    const store = yield* DeliveryStore.DeliveryStore.pipe(
      Effect.provide(DeliveryStore.layer),
      Effect.provideService(SqlClient.SqlClient, sql)
    )
    yield* store.giveBack(unsorted.map((id) => ({ delivery: endedOf(id).delivery, leaseUntil: at })))
    assert.deepStrictEqual(asked[0]!.params, [sorted, sorted.map(() => "1970-01-01T00:00:01.000Z")])
  })
)

it.effect("a batch changes no row of an endpoint where none of its results says anything about one", () =>
  Effect.gen(function* () {
    const { asked, sql } = noting()
    const mark = { mark: "first", at } as const
    yield* recordAttempts(sql, [endedOf("a"), endedOf("b")])
    yield* recordAttempts(sql, [endedOf("a"), endedOf("b", mark)])
    assert.deepStrictEqual(
      asked.map(({ text }) => text.includes("endpoint_health")),
      [false, true]
    )
    // A result without health does not name its endpoint.
    const named = asked.map(({ params }) => params.filter((param) => String(param).includes("whe_1")))
    assert.deepStrictEqual(named, [[], [arrayLiteral([null, "whe_1"])]])
  })
)
