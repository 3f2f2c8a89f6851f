/**
 * A key that was reset ends at once, whichever operator reset it and whatever this runner knows (spec:
 * Authentication, 5).
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Queue, Redacted } from "effect"
import { PgClient } from "@effect/sql-pg"
import type { SqlClient } from "effect/sql"
import type { Faults } from "../../../src/platform/runtime/Faults.ts"
import * as NewIds from "../../../src/platform/runtime/NewIds.ts"
import * as Postgres from "../../../src/platform/postgres/Postgres.ts"
import * as Secrets from "../../../src/platform/runtime/Secrets.ts"
import * as MerchantStore from "../../../src/access/merchants/MerchantStore.ts"
import * as Merchants from "../../../src/access/merchants/Merchants.ts"
import type { Reply } from "../../kit/Api.ts"
import { keysOf } from "../../kit/callers/apiKeys.ts"
import { cable } from "../../kit/servers/Cable.ts"
import { dropListeners, listeners } from "../../kit/runners/dropListeners.ts"
import { eventually } from "../../kit/Process.ts"
import { freshDatabase, type Running, start } from "../../kit/Service.ts"
import { stretched } from "../../kit/run/slowness.ts"

const status = (call: Effect.Effect<Reply>) => Effect.map(call, (reply) => reply.status)

const merchantsOver = (
  context: Running["context"],
  store: Layer.Layer<MerchantStore.MerchantStore, never, SqlClient.SqlClient | Faults>
) =>
  Layer.build(
    Merchants.layer.pipe(
      Layer.provide(store),
      Layer.provide(Layer.mergeAll(NewIds.layer, Secrets.layer)),
      Layer.provide(Layer.succeedContext(context))
    )
  ).pipe(Effect.map(Context.get(Merchants.Merchants)))

const storeLayer = Layer.provide(MerchantStore.layer, NewIds.layer)

/** The merchants of another runner on the same database. */
const elsewhere = ({ context }: Running) => merchantsOver(context, storeLayer)

describe("a key that was reset", () => {
  it.live("is refused at once, and the new one is accepted", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* start()
      const { merchantId, sandboxKey } = merchant
      assert.strictEqual(yield* status(api.get("/v1/balance", sandboxKey)), 200)
      const reset = yield* api.operator("POST", `/merchants/${merchantId}/keys/sandbox/reset`)
      const old = yield* api.get("/v1/balance", sandboxKey)
      assert.deepStrictEqual([old.status, old.body.error], [401, "invalid_api_key"])
      assert.strictEqual(yield* status(api.get("/v1/balance", reset.body.data.key)), 200)
    })
  )

  it.live("on another runner is refused here as soon as the word arrives", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const { api, merchant } = running
      const other = yield* elsewhere(running)
      assert.strictEqual(yield* status(api.get("/v1/balance", merchant.sandboxKey)), 200)
      const key = yield* other.resetKey(merchant.merchantId, "sandbox", { personIds: [], email: null })
      yield* eventually(
        "the word to arrive",
        Effect.map(status(api.get("/v1/balance", merchant.sandboxKey)), (code) => code === 401)
      )
      assert.strictEqual(yield* status(api.get("/v1/balance", key)), 200)
    })
  )
})

describe("keys in memory", () => {
  it.live("are not evicted by unknown keys, however many of these are tried", () =>
    Effect.gen(function* () {
      const { context, merchant } = yield* start()
      const store = yield* Effect.provide(
        Layer.build(MerchantStore.layer).pipe(Effect.map(Context.get(MerchantStore.MerchantStore))),
        context
      )
      let reads = 0
      const counting = Layer.succeed(MerchantStore.MerchantStore, {
        ...store,
        byKeyHash: (hash) => Effect.suspend(() => (reads++, store.byKeyHash(hash)))
      })
      const { byKey } = yield* merchantsOver(context, counting)
      const isInMemory = Effect.gen(function* () {
        const before = reads
        assert.isTrue(Option.isSome(yield* byKey(merchant.sandboxKey).account(0)))
        return reads === before
      })
      yield* eventually("the key to be in memory", isInMemory)
      // One more than there are places.
      const unknown = Array.from({ length: 10_001 }, (_, index) => byKey(`svc_test_${index}`).account(0))
      const found = yield* Effect.all(unknown, { concurrency: 50 })
      assert.isFalse(found.some(Option.isSome))
      assert.isTrue(yield* isInMemory)
    })
  )
})

describe("a change of one merchant", () => {
  it.live("makes this runner read that merchant again, and none of the others", () =>
    Effect.gen(function* () {
      const { api, context, merchant } = yield* start()
      const store = yield* Effect.provide(
        Layer.build(MerchantStore.layer).pipe(Effect.map(Context.get(MerchantStore.MerchantStore))),
        context
      )
      const reads: Array<string> = []
      const counting = Layer.succeed(MerchantStore.MerchantStore, {
        ...store,
        byId: (id) => Effect.suspend(() => (reads.push(id), store.byId(id)))
      })
      const { find } = yield* merchantsOver(context, counting)
      const changing = yield* api.newMerchant()
      const isRead = (merchantId: string) =>
        Effect.suspend(() => {
          reads.length = 0
          return Effect.map(find(merchantId), () => reads.includes(merchantId))
        })
      const change = Effect.gen(function* () {
        const reply = yield* api.post("/v1/webhook_endpoints", changing.sandboxKey, { url: "https://shop.example/" })
        assert.strictEqual(reply.status, 201, reply.text)
        yield* eventually("the word of the change", isRead(changing.merchantId))
      })
      // Until this, notifications of both new merchants may be under way.
      yield* isRead(changing.merchantId)
      yield* change
      yield* isRead(merchant.merchantId)
      for (let times = 0; times < 3; times++) {
        yield* change
        assert.isFalse(yield* isRead(merchant.merchantId), "the other merchant")
      }
    })
  )
})

describe("whether a key is recalled", () => {
  it.live("is known once it was looked up, until a look-up finds it unknown", () =>
    Effect.gen(function* () {
      const { api, context, merchant } = yield* start()
      const { byKey } = Context.get(context, Merchants.Merchants)
      const { merchantId, sandboxKey: key } = yield* api.newMerchant()
      assert.isFalse(byKey(key).isRecalled)
      yield* byKey(key).account(0)
      assert.isTrue(byKey(key).isRecalled)
      yield* api.operator("POST", `/merchants/${merchantId}/keys/sandbox/reset`)
      assert.isTrue(byKey(key).isRecalled)
      yield* byKey(key).account(0)
      assert.isFalse(byKey(key).isRecalled)
      yield* byKey(merchant.sandboxKey).account(0)
      assert.isFalse(byKey("nonsense").isRecalled)
    })
  )
})

describe("while no notification of changes can arrive", () => {
  it.live("no key is taken from memory: one that was reset elsewhere is refused at once", () =>
    Effect.gen(function* () {
      // The test's clock is stopped, so the service does not listen again before the test wants it to.
      const running = yield* start({ clock: "test" })
      const { api, merchant, sql } = running
      const { liveKey, sandboxKey } = merchant
      assert.strictEqual(yield* status(api.get("/v1/balance", liveKey)), 403)

      // A reset without a notification: as long as this runner listens, it answers from memory.
      const silently = (mode: string, hash: string) =>
        sql`update merchant_modes set key_hash = ${hash} where merchant_id = ${merchant.merchantId} and mode = ${mode}`
      const [row] = yield* sql<{ hash: string }>`select key_hash as hash from merchant_modes
        where merchant_id = ${merchant.merchantId} and mode = 'sandbox'`
      const works = Effect.map(status(api.get("/v1/balance", sandboxKey)), (code) => code === 200)
      yield* eventually(
        "the key to be in memory",
        Effect.gen(function* () {
          // The notification of the new merchant may still be under way, and empty the cache in between.
          yield* sql`select pg_notify(${MerchantStore.changedChannel}, '')`
          yield* silently("sandbox", row!.hash)
          const before = yield* works
          yield* silently("sandbox", "reset-1")
          return before && (yield* works)
        })
      )

      yield* dropListeners(sql)
      assert.strictEqual(yield* status(api.get("/v1/balance", sandboxKey)), 401)
      assert.strictEqual(yield* status(api.get("/v1/balance", liveKey)), 403)
      yield* silently("live", "reset-2")
      assert.strictEqual(yield* status(api.get("/v1/balance", liveKey)), 401)
    })
  )

  it.live("settings are read again as well, and the earlier cache is not used", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const { api, merchant, pass, sql } = running
      const key = merchant.sandboxKey
      const allowlist = (text: string) => sql`update merchant_modes set ip_allowlist = ${text}`
      assert.strictEqual(yield* status(api.get("/v1/balance", key)), 200)
      yield* dropListeners(sql)
      yield* allowlist("203.0.113.7")
      assert.strictEqual(yield* status(api.get("/v1/balance", key)), 403)

      yield* pass("1 second")
      yield* eventually(
        "the service to listen again",
        Effect.map(listeners(sql), (found) => found.length > 0)
      )
      assert.strictEqual(yield* status(api.get("/v1/balance", key)), 403)
    })
  )
})

describe("while no notification of changes can arrive, a key with scopes", () => {
  it.live("is not taken from memory: one that was revoked elsewhere is refused at once", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const { api, sql } = running
      const { key, key_id } = yield* keysOf(running).create()
      const works = Effect.map(status(api.get("/v1/balance", key)), (code) => code === 200)
      // A revocation without a notification: as long as this runner listens, it answers from memory.
      const silently = (at: string | null) =>
        sql`update api_keys set revoked_at = ${at}::text::timestamptz where key_id = ${key_id}`
      yield* eventually(
        "the key to be in memory",
        Effect.gen(function* () {
          // An unknown key is remembered for ten minutes.
          yield* running.leap("11 minutes")
          yield* silently(null)
          const before = yield* works
          yield* silently("1970-01-01T00:00:00Z")
          return before && (yield* works)
        })
      )
      yield* dropListeners(sql)
      assert.strictEqual(yield* status(api.get("/v1/balance", key)), 401)
    })
  )
})

describe("heartbeats: while the connection for changes is silently dead", () => {
  it.live("a key that was reset elsewhere is refused, and the memory is used again on a new connection", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const wire = yield* cable(database)
      // The test's clock is stopped, so nothing leaves the cache because of its age.
      const running = yield* start({ clock: "test", database: wire.url })
      const { api, merchant, sql } = running
      const { liveKey, merchantId, sandboxKey } = merchant
      const here = yield* Layer.build(Postgres.layer({ url: Redacted.make(database), connections: 4, name: "other" }))
      const other = yield* merchantsOver(Context.merge(running.context, here), storeLayer)

      const silently = (mode: string, hash: string) =>
        sql`update merchant_modes set key_hash = ${hash} where merchant_id = ${merchantId} and mode = ${mode}`
      const hashOf = (mode: string) =>
        Effect.map(
          sql<{ hash: string }>`select key_hash as hash from merchant_modes
            where merchant_id = ${merchantId} and mode = ${mode}`,
          ([row]) => row!.hash
        )
      /** A key that is invalid in the database and works is cached. */
      const isRemembered = (mode: string, key: string) =>
        Effect.gen(function* () {
          const hash = yield* hashOf(mode)
          const before = yield* status(api.get("/v1/balance", key))
          yield* silently(mode, `nobody-${mode}`)
          const after = yield* status(api.get("/v1/balance", key))
          yield* silently(mode, hash)
          return before !== 401 && after === before
        })
      yield* eventually("the sandbox key to be in memory", isRemembered("sandbox", sandboxKey))
      assert.isTrue(yield* isRemembered("live", liveKey))

      assert.strictEqual(wire.dropListeners(), 1)
      const key = yield* other.resetKey(merchantId, "sandbox", { personIds: [], email: null })
      yield* eventually(
        "the old key to be refused",
        Effect.map(status(api.get("/v1/balance", sandboxKey)), (code) => code === 401),
        yield* stretched("15 seconds")
      )
      assert.strictEqual(yield* status(api.get("/v1/balance", key)), 200)
      assert.isFalse(yield* isRemembered("live", liveKey))

      // It listens again a second later, by the test's clock. An unknown key is cached for ten minutes.
      yield* eventually(
        "the new key to be in memory",
        Effect.andThen(running.leap("11 minutes"), isRemembered("sandbox", key)),
        yield* stretched("15 seconds")
      )
    })
  )

  it.live("the heartbeats of other runners do not empty the memory", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const store = yield* Effect.provide(
        Layer.build(MerchantStore.layer).pipe(Effect.map(Context.get(MerchantStore.MerchantStore))),
        running.context
      )
      let reads = 0
      const counting = Layer.succeed(MerchantStore.MerchantStore, {
        ...store,
        byKeyHash: (hash) => Effect.suspend(() => (reads++, store.byKeyHash(hash)))
      })
      const { byKey } = yield* merchantsOver(running.context, counting)
      const pg = Context.get(running.context, PgClient.PgClient)
      const said = yield* pg.listen(MerchantStore.changedChannel)
      yield* eventually(
        "the key to be in memory",
        Effect.gen(function* () {
          const before = reads
          yield* byKey(running.merchant.sandboxKey).account(0)
          return reads === before
        })
      )
      const before = reads
      const speakers = new Set<string>()
      // Three rounds of two runners: the service's own and this one's.
      for (let round = 0; round < 6; round++) {
        const [kind, speaker] = (yield* Queue.take(said)).payload.split(":")
        assert.strictEqual(kind, "beat")
        speakers.add(speaker!)
        yield* byKey(running.merchant.sandboxKey).account(0)
      }
      assert.strictEqual(speakers.size, 2)
      assert.strictEqual(reads, before)
    })
  )

  it.live("a change of a merchant empties the memory of that merchant, and of no other", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const { api, merchant } = running
      const other = yield* api.newMerchant()
      const store = yield* Effect.provide(
        Layer.build(MerchantStore.layer).pipe(Effect.map(Context.get(MerchantStore.MerchantStore))),
        running.context
      )
      const reads: Array<string> = []
      const counting = Layer.succeed(MerchantStore.MerchantStore, {
        ...store,
        byKeyHash: (hash) =>
          Effect.tap(store.byKeyHash(hash), (found) =>
            Effect.sync(() => Option.isSome(found) && reads.push(found.value.merchant.merchant_id))
          )
      })
      const { byKey } = yield* merchantsOver(running.context, counting)
      const pg = Context.get(running.context, PgClient.PgClient)
      const said = yield* pg.listen(MerchantStore.changedChannel)
      const isKnown = (key: string) =>
        Effect.gen(function* () {
          const before = reads.length
          yield* byKey(key).account(0)
          return reads.length === before
        })
      for (const { sandboxKey } of [merchant, other]) yield* eventually("the key to be in memory", isKnown(sandboxKey))
      const endpoint = yield* api.post("/v1/webhook_endpoints", other.sandboxKey, { url: "https://shop.example/hook" })
      assert.strictEqual(endpoint.status, 201)
      yield* Effect.repeat(Queue.take(said), { until: ({ payload }) => payload === other.merchantId })
      // A heartbeat that was sent afterwards comes after the change.
      yield* Queue.take(said)
      yield* Queue.take(said)
      assert.isFalse(yield* isKnown(other.sandboxKey))
      assert.isTrue(yield* isKnown(merchant.sandboxKey))
    })
  )
})
