/** A database from before merchants had webhook settings of their own keeps its secrets and addresses. */
import { EndpointId } from "@coffer/model/Ids"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import webhookSettings from "../../src/platform/postgres/migrations/0014_webhook_settings.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { asOwner, freshDatabase } from "../kit/Service.ts"

const before = [
  `drop table webhook_settings`,
  `drop function tell_of_merchant`,
  `alter table merchant_modes drop column default_endpoint, add column signing_secret text not null`
]
const merchantId = "mer_01KAJ4XQ3B6W8T2EQN5VRD4J70"

it.live("a secret that was stored with the environment moves as it is, and an address that is set gets a number", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const ground = Postgres.layer({ url: Redacted.make(asOwner(database)), connections: 2, name: "test" })
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.forEach(before, (statement) => sql.unsafe(statement))
      yield* sql`insert into merchants (merchant_id, name, created_at)
        values (${merchantId}, 'Old', '2026-01-02T03:04:05.678Z')`
      yield* sql`insert into merchant_modes (merchant_id, mode, key_hash, signing_secret, default_notify_url)
        values (${merchantId}, 'sandbox', 'a', '2.x.y.z', 'https://shop.example/'), (${merchantId}, 'live', 'b', '1.x.y.z', null)`
      yield* webhookSettings
      const secretOf = (current: string) => ({ current, rotatedAt: null, old: [] })
      assert.deepStrictEqual(
        yield* sql`select id, version, merchant_id, mode, signing, endpoints from webhook_settings order by mode`,
        (["live", "sandbox"] as const).map((mode) => ({
          id: `${merchantId}/${mode}`,
          version: 1,
          merchant_id: merchantId,
          mode,
          signing: secretOf(mode === "live" ? "1.x.y.z" : "2.x.y.z"),
          endpoints: []
        }))
      )
      const [live, sandbox] = yield* sql<{ number: Record<string, string> | null }>`
        select default_endpoint as number from merchant_modes order by mode`
      assert.isNull(live!.number)
      assert.isTrue(Schema.is(EndpointId)(sandbox!.number!["id"]))
      const at = "2026-01-02T03:04:05.678Z"
      assert.deepInclude(sandbox!.number!, { createdAt: at, updatedAt: at })
    }).pipe(Effect.provide(Layer.fresh(ground)))
  })
)
