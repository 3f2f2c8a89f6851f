/** Postgres takes no writes for a while, as when an operator fences it (`default_transaction_read_only`). */
import { writeFileSync } from "node:fs"
import path from "node:path"
import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as EmbeddedPostgres from "../../src/platform/embedded/EmbeddedPostgres.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { troubleOf } from "../../src/platform/postgres/trouble.ts"
import { connect, eventually, launch, newHome } from "../kit/Process.ts"
import { freshDatabase, operatorToken, ownersConnection, secretKey } from "../kit/Service.ts"
import { recoversSoon } from "../kit/faults/Stall.ts"
import { newKey } from "../kit/runners/TwoRunners.ts"

const shared = { SECRET_KEY: secretKey, OPERATOR_TOKEN: operatorToken, ALLOW_PRIVATE_WEBHOOKS: "true" }

describe("Postgres takes no writes for a while", () => {
  it.live("the answer is 503 with Retry-After, the log and a start say why, and all is well when it does again", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const name = new URL(database).pathname.slice(1)
      const owner = yield* ownersConnection(database)
      const env = { DATABASE_URL: database, ...shared }
      const coffer = yield* launch({ env: { ...env, COFFER_HOME: yield* newHome } })
      yield* coffer.ready
      const key = yield* newKey(coffer)

      yield* owner.unsafe(`alter database ${name} set default_transaction_read_only = on`)
      yield* owner`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`
      yield* eventually(
        "the service to notice",
        Effect.sync(() => /Postgres at 127\.0\.0\.1:\d+ takes no writes since/.test(coffer.said.stderr))
      )
      const refused = yield* coffer.api.post("/v1/orders", key, { amount: 1_000 })
      assert.strictEqual(refused.status, 503)
      assert.isTrue(refused.headers.has("retry-after"))
      yield* eventually(
        "/readyz to say so",
        Effect.map(coffer.api.get("/readyz"), ({ status }) => status === 503)
      )

      const late = yield* launch({ env: { ...env, COFFER_HOME: yield* newHome } })
      assert.strictEqual((yield* late.ended).code, 1)
      assert.match(
        late.said.stderr,
        /^coffer: PostgreSQL at .* cannot be used: it takes no writes: it is a standby, or/m
      )

      yield* owner.unsafe(`alter database ${name} reset default_transaction_read_only`)
      yield* recoversSoon(coffer, [key])
      const rows = yield* (yield* connect(database))`select 1 from orders`
      assert.isAbove(rows.length, 0)
    })
  )
})

describe("a server in recovery", () => {
  it.live("ends each connection of the service when it begins, and is used where any server will do", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      yield* Effect.scoped(EmbeddedPostgres.start({ home }))
      writeFileSync(path.join(home, "postgres", "standby.signal"), "")
      const { url } = yield* EmbeddedPostgres.start({ home })
      const startupParameters = { transaction_read_only: "off" }
      const ended = yield* Effect.flip(Effect.scoped(PgConnection.make({ url, startupParameters })))
      assert.strictEqual(troubleOf(ended), "readOnly")

      const layerAt = (address: string) =>
        Effect.scoped(Layer.build(Postgres.layer({ url: Redacted.make(address), connections: 1, name: "test" })))
      const refused = yield* Effect.flip(layerAt(Redacted.value(url)))
      assert.strictEqual(troubleOf(refused), "readOnly")
      yield* layerAt(`${Redacted.value(url)}?target_session_attrs=any`)
    })
  )
})
