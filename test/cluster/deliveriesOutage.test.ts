/** Webhooks while Postgres is stopped and started again under the service, and while Redis is away. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Redacted, Scope } from "effect"
import * as EmbeddedPostgres from "../../src/platform/embedded/EmbeddedPostgres.ts"
import { eventPosts } from "../kit/stories/eventPosts.ts"
import { connect, newHome, run } from "../kit/Process.ts"
import { leftOut, named, running } from "../kit/servers/Redis.ts"
import { idFunction } from "../kit/rows/Rows.ts"
import { freePort, freshDatabase, operatorToken, secretKey } from "../kit/Service.ts"
import { rounds } from "../kit/run/soak.ts"

const restarts = rounds(1, 2)
const events = rounds(500, 5_000)

const env = (databaseUrl: string, home: string) => ({
  DATABASE_URL: databaseUrl,
  COFFER_HOME: home,
  SECRET_KEY: secretKey,
  OPERATOR_TOKEN: operatorToken,
  ALLOW_PRIVATE_WEBHOOKS: "true",
  WORKER_POLL: "200 millis"
})

/** Moments in the course of the posts, evenly spread. */
const moments = Effect.fnUntraced(function* (count: number) {
  const each = Math.floor(events / (count + 1))
  const come = yield* Effect.replicateEffect(Deferred.make<void>(), count)
  return {
    arrived: (posts: number) => {
      if (posts % each === 0 && posts / each <= count) Deferred.doneUnsafe(come[posts / each - 1]!, Effect.void)
    },
    come: come.map((moment) => Deferred.await(moment))
  }
})

/** A Postgres of the test's own, on a port that stays. */
const postgres = Effect.gen(function* () {
  const home = yield* newHome
  const port = yield* freePort
  const outer = yield* Effect.scope
  const begin = Effect.gen(function* () {
    const scope = yield* Scope.fork(outer)
    const started = EmbeddedPostgres.start({ home, flags: ["fsync=off"] }).pipe(
      Effect.provideService(EmbeddedPostgres.FreePort, Effect.succeed(port)),
      Scope.provide(scope)
    )
    return { url: Redacted.value((yield* started).url), stop: Scope.close(scope, Exit.void) }
  })
  return begin
})

describe("Postgres stops and starts again", () => {
  it.live("while webhooks are delivered: the workers recover, and every event arrives", () =>
    Effect.gen(function* () {
      const begin = yield* postgres
      let server = yield* begin
      const coffer = yield* run({ env: env(server.url, yield* newHome) })
      const { merchantId } = yield* coffer.api.newMerchant()
      const { arrived, come } = yield* moments(restarts)
      const sql = yield* connect(server.url)
      yield* sql.unsafe(idFunction)
      const posts = yield* eventPosts(sql, arrived)
      yield* posts.insert(merchantId, events)
      for (const moment of come) {
        yield* moment
        yield* server.stop
        server = yield* begin
        yield* posts.noteLeases
      }
      yield* posts.assertArrived(events)
      yield* coffer.ready
    })
  )
})

describe.skipIf(leftOut)(named("Redis is killed"), () => {
  it.live("while webhooks are delivered: every event arrives once, as if there had never been a Redis", () =>
    Effect.gen(function* () {
      const redis = yield* running
      const database = yield* freshDatabase
      const coffer = yield* run({
        env: { ...env(database, yield* newHome), REDIS_URL: Redacted.value(redis.url) }
      })
      const { merchantId } = yield* coffer.api.newMerchant()
      const { arrived, come } = yield* moments(1)
      const posts = yield* eventPosts(yield* connect(database), arrived)
      yield* posts.insert(merchantId, events)
      for (const moment of come) yield* Effect.andThen(moment, redis.kill)
      assert.strictEqual(yield* posts.assertArrived(events), 0)
      assert.strictEqual((yield* coffer.api.get("/readyz")).status, 200)
    })
  )
})
