/** The secret before the present one, of a main key and of a key with scopes: until when it works, and its end. */
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import type { SqlError } from "effect/sql"
import { Merchants } from "../../../src/access/merchants/Merchants.ts"
import { Secrets } from "../../../src/platform/runtime/Secrets.ts"
import { invite, signIn } from "../../kit/callers/console.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { start } from "../../kit/Service.ts"

const begin = Effect.gen(function* () {
  const mails = yield* mailServer()
  const env = { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" }
  const { api, context, leap, merchant, sql } = yield* start({ clock: "test", env })
  const { keyHash } = Context.get(context as Context.Context<Secrets>, Secrets)
  const at = `/merchants/${merchant.merchantId}`
  yield* invite(api, mails, { email: "owner@shop.example", merchant_id: merchant.merchantId, role: "owner" })
  const { call } = yield* signIn(api, mails, "owner@shop.example")
  const works = (key: string) => Effect.map(api.get("/v1/balance?currency=USD", key), ({ status }) => status)
  const { forget } = Context.get(context as Context.Context<Merchants>, Merchants)
  return { api, at, call, forget, keyHash, leap, merchant, sql, works }
})

it.effect("a reset that is asked again does not end the main key that the shop uses", () =>
  Effect.gen(function* () {
    const { at, call, leap, merchant, works } = yield* begin
    const keyAt = `${at}/main_keys/sandbox`
    const reset = (body?: object) => Effect.map(call("POST", `${keyAt}/reset`, body), (reply) => reply.body.data?.key)
    assert.strictEqual((yield* call("POST", `${keyAt}/reset`, { overlap_minutes: 1_441 })).status, 400)
    assert.deepInclude((yield* call("GET", keyAt)).body.data, { previous_until: null, previous_ends: [] })
    // Its answer is lost, so nobody has this key.
    const second: string = yield* reset({ overlap_minutes: 30 })
    const third: string = yield* reset({ overlap_minutes: 60 })
    const all = Effect.all([works(merchant.sandboxKey), works(second), works(third)])
    assert.deepStrictEqual(yield* all, [200, 200, 200])
    const { previous_ends, previous_until } = (yield* call("GET", keyAt)).body.data
    assert.strictEqual(previous_ends.length, 2)
    assert.strictEqual(previous_until, previous_ends[1])
    yield* leap("29 minutes")
    assert.deepStrictEqual(yield* all, [200, 200, 200])
    yield* leap("1 minute")
    assert.deepStrictEqual(yield* all, [401, 200, 200])
    assert.deepStrictEqual((yield* call("GET", keyAt)).body.data.previous_ends, [previous_until])
    yield* leap("31 minutes")
    assert.deepStrictEqual(yield* all, [401, 401, 200])
    assert.deepInclude((yield* call("GET", keyAt)).body.data, { previous_until: null, previous_ends: [] })
  }).pipe(Effect.scoped)
)

it.effect("of two resets at once both callers get a key that works", () =>
  Effect.gen(function* () {
    const { at, call, merchant, works } = yield* begin
    const reset = call("POST", `${at}/main_keys/sandbox/reset`, { overlap_minutes: 60 })
    const replies = yield* Effect.all([reset, reset], { concurrency: "unbounded" })
    const keys = [merchant.sandboxKey, ...replies.map(({ body }) => body.data.key)]
    assert.strictEqual(new Set(keys).size, 3)
    assert.deepStrictEqual(yield* Effect.forEach(keys, works), [200, 200, 200])
  }).pipe(Effect.scoped)
)

it.effect("five old secrets of a key work at most: one more is refused, and a roll without an overlap is not", () =>
  Effect.gen(function* () {
    const { at, call, merchant, works } = yield* begin
    const made = (yield* call("POST", `${at}/api_keys`, { mode: "sandbox", name: "Shop", scopes: ["balance:read"] }))
      .body.data
    for (const [path, first] of [
      [`${at}/main_keys/sandbox/reset`, merchant.sandboxKey],
      [`${at}/api_keys/${made.key_id}/roll`, made.key]
    ] as const) {
      const keys: Array<string> = [first]
      for (let times = 0; times < 5; times++) {
        keys.push((yield* call("POST", path, { overlap_minutes: 60 })).body.data.key)
      }
      const refused = yield* call("POST", path, { overlap_minutes: 60 })
      assert.deepStrictEqual([refused.status, refused.body.error], [409, "conflict"])
      assert.deepStrictEqual(yield* Effect.forEach(keys, works), [200, 200, 200, 200, 200, 200])
      const { key } = (yield* call("POST", path, { overlap_minutes: 0 })).body.data
      assert.deepStrictEqual(yield* Effect.forEach([...keys, key], works), [401, 401, 401, 401, 401, 401, 200])
    }
  }).pipe(Effect.scoped)
)

it.effect("a runner of the version before and this one accept each other's resets", () =>
  Effect.gen(function* () {
    const { at, call, forget, keyHash, merchant, sql, works } = yield* begin
    const { merchantId, sandboxKey } = merchant
    const old = `svc_test_${"o".repeat(43)}`
    /** As that version writes, and tells this runner. */
    const write = (change: Effect.Effect<unknown, SqlError.SqlError>) => Effect.andThen(change, forget(merchantId))
    yield* write(sql`update merchant_modes set key_hash = ${keyHash(old)}, previous_key_hash = ${keyHash(sandboxKey)},
        previous_until = '2100-01-01T00:00:00Z' where merchant_id = ${merchantId} and mode = 'sandbox'`)
    assert.deepStrictEqual(yield* Effect.forEach([sandboxKey, old], works), [200, 200])
    // It looks for the hash in these two columns.
    const { key } = (yield* call("POST", `${at}/main_keys/sandbox/reset`, { overlap_minutes: 60 })).body.data
    assert.deepStrictEqual(
      yield* sql`select key_hash, previous_key_hash from merchant_modes
        where merchant_id = ${merchantId} and mode = 'sandbox' and previous_until is not null`,
      [{ key_hash: keyHash(key), previous_key_hash: keyHash(sandboxKey) }]
    )
    // It ends the old key, and resets without an overlap.
    yield* write(sql`update merchant_modes set previous_key_hash = null, previous_until = null
      where merchant_id = ${merchantId} and mode = 'sandbox'`)
    assert.deepStrictEqual(yield* Effect.forEach([sandboxKey, old, key], works), [401, 401, 200])
    const last = `svc_test_${"l".repeat(43)}`
    yield* write(sql`update merchant_modes set key_hash = ${keyHash(last)}
      where merchant_id = ${merchantId} and mode = 'sandbox'`)
    assert.deepStrictEqual(yield* Effect.forEach([key, last], works), [401, 200])
  }).pipe(Effect.scoped)
)

it.effect("an owner ends the main key before the present one at once, however often", () =>
  Effect.gen(function* () {
    const { at, call, merchant, works } = yield* begin
    const keyAt = `${at}/main_keys/sandbox`
    const { key } = (yield* call("POST", `${keyAt}/reset`, { overlap_minutes: 60 })).body.data
    for (let times = 0; times < 2; times++) {
      const ended = yield* call("POST", `${keyAt}/end_previous`)
      assert.deepStrictEqual([ended.status, ended.body.data.previous_until], [200, null])
      assert.deepStrictEqual([yield* works(merchant.sandboxKey), yield* works(key)], [401, 200])
    }
    // Without an overlap, as before.
    const { key: last } = (yield* call("POST", `${keyAt}/reset`)).body.data
    assert.deepStrictEqual([yield* works(key), yield* works(last)], [401, 200])
  }).pipe(Effect.scoped)
)

it.effect("a rolled key says until when its old secret works, and the old secret can be ended", () =>
  Effect.gen(function* () {
    const { at, call, leap, works } = yield* begin
    const made = (yield* call("POST", `${at}/api_keys`, { mode: "sandbox", name: "Shop", scopes: ["balance:read"] }))
      .body.data
    assert.strictEqual(made.previous_until, null)
    const one = `${at}/api_keys/${made.key_id}`
    const rolled = (yield* call("POST", `${one}/roll`, { overlap_minutes: 10 })).body.data
    assert.strictEqual(Date.parse(rolled.previous_until) - Date.parse(rolled.rolled_at), 600_000)
    assert.deepStrictEqual([yield* works(made.key), yield* works(rolled.key)], [200, 200])
    const ended = yield* call("POST", `${one}/end_previous`)
    assert.deepStrictEqual([ended.status, ended.body.data.previous_until], [200, null])
    assert.deepStrictEqual([yield* works(made.key), yield* works(rolled.key)], [401, 200])
    const again = (yield* call("POST", `${one}/roll`, { overlap_minutes: 10 })).body.data
    yield* leap("11 minutes")
    const { data } = (yield* call("GET", `${at}/api_keys?mode=sandbox`)).body.data
    assert.strictEqual(data[0].previous_until, null)
    assert.deepStrictEqual([yield* works(rolled.key), yield* works(again.key)], [401, 200])
    yield* call("POST", `${one}/revoke`)
    assert.strictEqual((yield* call("POST", `${one}/end_previous`)).status, 409)
  }).pipe(Effect.scoped)
)
