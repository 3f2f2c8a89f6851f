/** Connections that one user has for itself, such as that of the cluster's locks, and what they leave behind. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { freshDatabase } from "../kit/Service.ts"

describe("a reserved connection", () => {
  // Seed 2126 of the simulation: Postgres refused the release of a runner's shard locks, and no runner got them again.
  it.live("whose last statement failed is closed, and gives back the locks of its session", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const url = yield* freshDatabase
        const pool = Postgres.layer({ url: Redacted.make(url), connections: 2, name: "test" })
        const sql = Context.get(yield* Layer.build(pool), SqlClient.SqlClient)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const reserved = yield* sql.reserve
            yield* reserved.executeRaw("select pg_advisory_lock(7, 7)", [])
            yield* Effect.exit(reserved.executeRaw("select no_such_function()", []))
          })
        )
        const other = Context.get(yield* Layer.build(Layer.fresh(pool)), SqlClient.SqlClient)
        // Waits until the session of the first one has ended.
        const [row] = yield* other.unsafe("select true as taken from pg_advisory_lock(7, 7)")
        assert.deepStrictEqual(row, { taken: true })
      })
    )
  )
})
