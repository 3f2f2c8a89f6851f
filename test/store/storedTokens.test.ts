/**
 * Rows that were written when checkout addresses were stored whole lose the signature, and nothing else (silences:
 * O11).
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import storedTokens from "../../src/platform/postgres/migrations/0009_stored_tokens.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { freshDatabase } from "../kit/Service.ts"

const url = "https://pay.example/base/checkout/TRD_SB_0000000000000000000000000A.1795445012"
const signature = "NJWcQsm8rml3zLZfEr0MRni1xmcNrAq2CJWIsMuZdN0"

/** Texts of a merchant's own that look like the field. */
const own = {
  '","checkout_url":"https://pay.example/checkout/TRD_X.1.sig"':
    '"checkout_url":"https://pay.example/checkout/TRD_X.1.sig"',
  checkout_url: `${url}.${signature}`
}
const order = (checkout_url: string) => ({
  object: "order",
  out_trade_no: `"checkout_url":"${url}.${signature}"`,
  subject: `\\","checkout_url":"${url}.${signature}"`,
  checkout_url,
  expires_at: "2026-11-23T14:43:32.885Z",
  metadata: own
})
const event = (object: object) => JSON.stringify({ object: "event", id: "evt_1", data: { object, status: "paid" } })

it.live("a signature that was stored is taken out of events and answers, and a merchant's own text stays", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const ground = Postgres.layer({ url: Redacted.make(database), connections: 2, name: "test" })
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = [
        ["1", "payment.succeeded", event(order(`${url}.${signature}`)), event(order(url))],
        ["2", "payment.expired", event(order(url)), event(order(url))],
        ["3", "refund.succeeded", event({ object: "refund", metadata: own }), undefined]
      ] as const
      for (const [id, type, body] of rows) {
        yield* sql`insert into events (id, merchant_id, mode, type, object_id, trade_no, body, created_at)
          values (${id}, 'm', 'sandbox', ${type}, 'o', 't', ${body}, '2026-01-01')`
      }
      const answers = [
        ["1", JSON.stringify(order(`${url}.${signature}`)), JSON.stringify(order(url))],
        ["2", JSON.stringify({ object: "refund", metadata: own }), undefined],
        ["3", null, null]
      ] as const
      for (const [id, data] of answers) {
        yield* sql`insert into idempotency_keys (id, version, merchant_id, mode, fingerprint, state, data, created_at)
          values (${id}, 1, 'm', 'sandbox', 'f', 'done', ${data}, '2026-01-01')`
      }
      const read = Effect.gen(function* () {
        const bodies = yield* sql<{ body: string }>`select body from events order by id`
        const kept = yield* sql<{ data: string | null }>`select data from idempotency_keys order by id`
        return [bodies.map(({ body }) => body), kept.map(({ data }) => data)]
      })
      const wanted = [
        rows.map(([, , before, after]) => after ?? before),
        answers.map(([, before, after]) => after ?? before)
      ]
      yield* storedTokens
      assert.deepStrictEqual(yield* read, wanted)
      yield* storedTokens
      assert.deepStrictEqual(yield* read, wanted)
    }).pipe(Effect.provide(Layer.fresh(ground)))
  })
)
