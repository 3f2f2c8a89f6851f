/**
 * `SECRET_KEY` is changed runner by runner: what one encrypts another can decrypt, and one that dies blocks nothing.
 */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import type { Coffer } from "../kit/Process.ts"
import { connect, eventually, liftQuotas } from "../kit/Process.ts"
import { freshDatabase, otherSecretKey, secretKey } from "../kit/Service.ts"
import { runner } from "../kit/runners/TwoRunners.ts"

const both = { SECRET_KEY: otherSecretKey, SECRET_KEY_PREVIOUS: secretKey }

const keyOf = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ value: string; previous: string | null }>`select value, previous from secret_check`, ([row]) => row!)

const says = (coffer: Coffer, words: string) =>
  eventually(
    words,
    Effect.sync(() => coffer.said.stderr.includes(words))
  )

/** Locks the row that a runner locks for each page: no runner continues, and none waits for it. */
const holdWalk = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [held, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  // On a slow machine it lasts for longer than Postgres lets a transaction of the service be idle.
  const holding = yield* sql`set local idle_in_transaction_session_timeout = 0`.pipe(
    Effect.andThen(sql`select 1 from secret_check for update`),
    Effect.andThen(Deferred.succeed(held, undefined)),
    Effect.andThen(Deferred.await(released)),
    sql.withTransaction,
    Effect.forkScoped
  )
  yield* Deferred.await(held)
  return { release: Effect.andThen(Deferred.succeed(released, undefined), Fiber.join(holding)) }
})

/** A secret that one runner has made and sealed is read, whole, through the other. */
const sharesSecrets = Effect.fnUntraced(function* (from: Coffer, to: Coffer) {
  const { merchantId, sandboxKey } = yield* from.api.newMerchant()
  yield* liftQuotas(from.api, merchantId)
  const rotated = yield* from.api.post("/v1/webhook_signing_secret/rotate", sandboxKey)
  assert.strictEqual(rotated.status, 200, rotated.text)
  const shown = yield* to.api.get("/v1/webhook_signing_secret", sandboxKey)
  assert.strictEqual(shown.body.data?.secret, rotated.body.data.secret, shown.text)
  const { body } = yield* from.api.post("/v1/orders", sandboxKey, { amount: 1000 })
  const page = yield* to.api.call("GET", new URL(body.data.checkout_url).pathname, {})
  assert.strictEqual(page.status, 200)
})

it.live("runners are given the new key one after the other, and one is killed in the middle", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const sql = yield* connect(database, 2)
    const old = yield* runner(database)
    yield* old.ready
    const first = yield* keyOf(sql)

    // One has both keys, the other no new one: what either seals the other opens.
    const a = yield* runner(database, both)
    yield* a.ready
    yield* says(a, "a runner on this database does not have the new SECRET_KEY")
    yield* sharesSecrets(a, old)
    yield* sharesSecrets(old, a)
    assert.deepStrictEqual(yield* keyOf(sql), first)

    // The last one is restarted, and the change begins automatically.
    old.signal("SIGTERM")
    yield* old.ended
    const b = yield* runner(database, both)
    yield* b.ready
    yield* eventually(
      "the new key",
      Effect.map(keyOf(sql), ({ value }) => value !== first.value)
    )
    // Nothing more is resealed until one of them is dead.
    const { release } = yield* holdWalk(sql)
    yield* sharesSecrets(a, b)
    yield* sharesSecrets(b, a)
    const late = yield* runner(database)
    assert.strictEqual((yield* late.ended).code, 1)
    assert.include(late.said.stderr, "SECRET_KEY was changed for this database")

    assert.isNotNull((yield* keyOf(sql)).previous)
    a.signal("SIGKILL")
    yield* a.ended
    yield* release
    yield* says(b, "no secret is encrypted with SECRET_KEY_PREVIOUS any more: remove that setting")
    assert.isNull((yield* keyOf(sql)).previous)
    const c = yield* runner(database, { SECRET_KEY: otherSecretKey })
    yield* c.ready
    yield* sharesSecrets(c, b)
    yield* sharesSecrets(b, c)
  })
)
