/** The secret before the present one, of a main key and of a key with scopes: until when it works, and its end. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { invite, signIn } from "../../kit/callers/console.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { start } from "../../kit/Service.ts"

const begin = Effect.gen(function* () {
  const mails = yield* mailServer()
  const env = { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" }
  const { api, leap, merchant } = yield* start({ clock: "test", env })
  const at = `/merchants/${merchant.merchantId}`
  yield* invite(api, mails, { email: "owner@shop.example", merchant_id: merchant.merchantId, role: "owner" })
  const { call } = yield* signIn(api, mails, "owner@shop.example")
  const works = (key: string) => Effect.map(api.get("/v1/balance?currency=USD", key), ({ status }) => status)
  return { api, at, call, leap, merchant, works }
})

it.effect("a main key works for the overlap of its reset, and an older one no more", () =>
  Effect.gen(function* () {
    const { at, call, leap, merchant, works } = yield* begin
    const keyAt = `${at}/main_keys/sandbox`
    const reset = (body?: object) => Effect.map(call("POST", `${keyAt}/reset`, body), (reply) => reply.body.data?.key)
    assert.strictEqual((yield* call("POST", `${keyAt}/reset`, { overlap_minutes: 1_441 })).status, 400)
    assert.strictEqual((yield* call("GET", keyAt)).body.data.previous_until, null)
    const second: string = yield* reset({ overlap_minutes: 60 })
    assert.deepStrictEqual([yield* works(merchant.sandboxKey), yield* works(second)], [200, 200])
    const third: string = yield* reset({ overlap_minutes: 60 })
    const all = Effect.all([works(merchant.sandboxKey), works(second), works(third)])
    assert.deepStrictEqual(yield* all, [401, 200, 200])
    assert.isString((yield* call("GET", keyAt)).body.data.previous_until)
    yield* leap("59 minutes")
    assert.deepStrictEqual(yield* all, [401, 200, 200])
    yield* leap("1 minute")
    assert.deepStrictEqual(yield* all, [401, 401, 200])
    assert.strictEqual((yield* call("GET", keyAt)).body.data.previous_until, null)
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
