/**
 * Keys with scopes beside the two main keys: what is stored of them, and the refusals of each kind (silences: U26 to
 * U28).
 */
import { crc32 } from "node:zlib"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { Secrets } from "../../../src/platform/runtime/Secrets.ts"
import { keysOf } from "../../kit/callers/apiKeys.ts"
import { flushed } from "../../kit/rows/logs.ts"
import { callAs, entriesOf, newOperator } from "../../kit/callers/operators.ts"
import { type Running, start, withNewMerchant } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/apiKeys") {}
const shared = Layer.effect(Service, start())

const scene = Effect.gen(function* () {
  const running = yield* withNewMerchant(yield* Service)
  const { api, merchant, sql } = running
  return { running, api, merchant, sql, keys: keysOf(running) }
})

const told = ({ api }: Running, key: string, path = "/v1/balance") =>
  Effect.map(api.get(path, key), ({ body, status }) => (status === 200 ? "200" : `${status} ${body.error}`))

layer(shared, { excludeTestServices: true })("a key with scopes", (it) => {
  it.effect("is shown once, with its terms, and works beside the main key", () =>
    Effect.gen(function* () {
      const { api, keys, merchant, running } = yield* scene
      const { key, key_id } = yield* keys.create({ name: "Accounting", ip_allowlist: "127.0.0.1" })
      assert.match(key, /^svc_test_[\w-]{43}[0-9A-Za-z]{6}$/)
      assert.strictEqual(yield* told(running, key), "200")
      assert.strictEqual(yield* told(running, merchant.sandboxKey), "200")
      const read = yield* api.operator("GET", `${keys.path}/${key_id}`)
      assert.deepInclude(read.body.data, {
        object: "api_key",
        key_id,
        merchant_id: merchant.merchantId,
        mode: "sandbox",
        name: "Accounting",
        scopes: ["balance:read"],
        ip_allowlist: "127.0.0.1",
        status: "active",
        expires_at: null,
        rolled_at: null,
        previous_until: null,
        revoked_at: null,
        last_used_ip: "127.0.0.1"
      })
      assert.isString(read.body.data.last_used_at)
      const listed = yield* api.operator("GET", `${keys.path}?mode=sandbox`)
      assert.deepStrictEqual(listed.body.data.data, [read.body.data])
      assert.deepStrictEqual((yield* api.operator("GET", `${keys.path}?mode=live`)).body.data.data, [])
      for (const { text } of [read, listed]) assert.notInclude(text, key)
    })
  )

  it.effect("is stored as a hash alone", () =>
    Effect.gen(function* () {
      const { keys, sql } = yield* scene
      const { key } = yield* keys.create()
      for (const table of ["api_keys", "api_key_secrets", "audit_log"]) {
        const found = yield* sql.unsafe(`select 1 from ${table} t where position($1 in t::text) > 0`, [
          key.slice(9, 40)
        ])
        assert.strictEqual(found.length, 0, table)
      }
    })
  )

  it.effect("that is new ends in a checksum, and so do the main keys", () =>
    Effect.gen(function* () {
      const { keys, merchant } = yield* scene
      const { key } = yield* keys.create()
      for (const each of [key, merchant.sandboxKey, merchant.liveKey]) {
        let rest = crc32(each.slice(0, -6))
        const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        for (const digit of Array.from(each.slice(-6)).toReversed()) {
          assert.strictEqual(digit, digits[rest % 62])
          rest = Math.floor(rest / 62)
        }
      }
    })
  )

  it.effect("without a checksum, from before there was one, works as ever", () =>
    Effect.gen(function* () {
      const { running } = yield* scene
      const { context, merchant, sql } = running
      const { keyHash } = Context.get(context as Context.Context<Secrets>, Secrets)
      const old = `svc_test_${"o".repeat(43)}`
      yield* sql`update merchant_modes set key_hash = ${keyHash(old)}
        where merchant_id = ${merchant.merchantId} and mode = 'sandbox'`
      assert.strictEqual(yield* told(running, old), "200")
    })
  )

  it.effect("is for its own environment: with the other prefix it is unknown", () =>
    Effect.gen(function* () {
      const { keys, running } = yield* scene
      const { key } = yield* keys.create()
      assert.strictEqual(yield* told(running, key.replace("svc_test_", "svc_live_")), "401 invalid_api_key")
      const live = yield* keys.create({ mode: "live" })
      assert.strictEqual(yield* told(running, live.key), "403 merchant_not_approved")
    })
  )

  it.effect("is taken from its own addresses, of those that the environment allows", () =>
    Effect.gen(function* () {
      const { api, keys, merchant, running } = yield* scene
      const { key, key_id } = yield* keys.create({ ip_allowlist: "203.0.113.7" })
      const now = told(running, key)
      assert.strictEqual(yield* now, "403 ip_not_allowed")
      yield* api.operator("POST", `${keys.path}/${key_id}`, { ip_allowlist: "127.0.0.0/8" })
      assert.strictEqual(yield* now, "200")
      const settings = { sandbox: { ip_allowlist: "203.0.113.7" } }
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, settings)
      assert.strictEqual(yield* now, "403 ip_not_allowed")
    })
  )

  it.effect("that is revoked is refused at once, for good, and so are changes of it", () =>
    Effect.gen(function* () {
      const { api, keys, running } = yield* scene
      const { key, key_id } = yield* keys.create()
      const one = `${keys.path}/${key_id}`
      assert.strictEqual(yield* told(running, key), "200")
      const revoked = yield* api.operator("POST", `${one}/revoke`)
      assert.deepInclude(revoked.body.data, { status: "revoked" })
      assert.strictEqual(yield* told(running, key), "401 invalid_api_key")
      assert.deepStrictEqual((yield* api.operator("POST", `${one}/revoke`)).body.data, revoked.body.data)
      for (const [path, body] of [
        [one, { name: "Another" }],
        [`${one}/roll`, { overlap_minutes: 0 }]
      ] as const) {
        const { body: answer, status } = yield* api.operator("POST", path, body)
        assert.deepStrictEqual([status, answer.error], [409, "conflict"])
      }
    })
  )

  it.effect("counts on its merchant's quota, as every key of it", () =>
    Effect.gen(function* () {
      const { api, keys, merchant } = yield* scene
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { quotas: { reads: 2 } })
      const [one, other] = [yield* keys.create(), yield* keys.create()]
      const statuses = yield* Effect.forEach([one.key, other.key, merchant.sandboxKey, one.key], (key) =>
        Effect.map(api.get("/v1/balance", key), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses, [200, 200, 429, 429])
    })
  )

  it.effect("shares the account's Idempotency-Keys with every key of it", () =>
    Effect.gen(function* () {
      const { api, keys, merchant } = yield* scene
      const { key } = yield* keys.create({ scopes: ["orders:write"] })
      const create = (by: string) =>
        api.call("POST", "/v1/orders", { key: by, body: { amount: 100 }, headers: { "Idempotency-Key": "cart-1" } })
      const [first, again] = [yield* create(key), yield* create(merchant.sandboxKey)]
      assert.deepStrictEqual([first.status, again.status], [201, 201])
      assert.strictEqual(again.body.data.trade_no, first.body.data.trade_no)
    })
  )

  it.effect("is named in the API log of its calls, also of one that was beyond its scopes", () =>
    Effect.gen(function* () {
      const { api, keys, merchant, running } = yield* scene
      const { key, key_id } = yield* keys.create()
      yield* api.get("/v1/balance", key)
      yield* api.get("/v1/orders", key)
      yield* flushed(running)
      const { body } = yield* api.get("/v1/logs", merchant.sandboxKey)
      assert.deepStrictEqual(
        body.data.data
          .filter(({ path }: { readonly path: string }) => path !== "/v1/logs")
          .map((log: Record<string, unknown>) => [log["path"], log["status"], log["error_code"], log["key_id"]]),
        [
          ["/v1/orders", 403, "forbidden", key_id],
          ["/v1/balance", 200, null, key_id]
        ]
      )
      yield* flushed(running)
      const own = yield* api.get("/v1/logs?path=/v1/logs", merchant.sandboxKey)
      assert.isNull(own.body.data.data[0].key_id)
    })
  )

  it.effect("belongs to one merchant: under another's path there is none", () =>
    Effect.gen(function* () {
      const { api, keys } = yield* scene
      const other = yield* api.newMerchant()
      const { key_id } = yield* keys.create()
      for (const [method, rest, body] of [
        ["GET", "", undefined],
        ["POST", "", { name: "Mine" }],
        ["POST", "/roll", { overlap_minutes: 0 }],
        ["POST", "/revoke", {}]
      ] as const) {
        const reply = yield* api.operator(method, `/merchants/${other.merchantId}/api_keys/${key_id}${rest}`, body)
        assert.deepStrictEqual([reply.status, reply.body.error], [404, "api_key_not_found"])
      }
      const cursor = yield* api.operator(
        "GET",
        `/merchants/${other.merchantId}/api_keys?mode=sandbox&starting_after=${key_id}`
      )
      assert.strictEqual(cursor.body.param, "starting_after")
    })
  )

  it.effect("is refused where its terms make no sense", () =>
    Effect.gen(function* () {
      const { api, keys } = yield* scene
      const terms = { mode: "sandbox", name: "N", scopes: ["orders:read"] }
      for (const [wrong, param] of [
        [{ name: "" }, "name"],
        [{ name: "a".repeat(101) }, "name"],
        [{ scopes: [] }, "scopes"],
        [{ scopes: ["orders:erase"] }, "scopes[0]"],
        [{ mode: "live", scopes: ["test_helpers:write"] }, "scopes"],
        [{ ip_allowlist: "nowhere" }, "ip_allowlist"],
        [{ expires_at: "2000-01-01T00:00:00Z" }, "expires_at"],
        [{ expires_at: "soon" }, "expires_at"]
      ] as const) {
        const { body, status } = yield* api.operator("POST", keys.path, { ...terms, ...wrong })
        assert.deepStrictEqual([status, body.param], [400, param], JSON.stringify(wrong))
      }
      const { key_id } = yield* keys.create()
      for (const overlap_minutes of [-1, 1441, 0.5, "60"]) {
        const { body } = yield* api.operator("POST", `${keys.path}/${key_id}/roll`, { overlap_minutes })
        assert.strictEqual(body.param, "overlap_minutes")
      }
    })
  )

  it.effect("is one of 50 that work in an environment; those that were revoked do not count", () =>
    Effect.gen(function* () {
      const { api, keys } = yield* scene
      const made = yield* Effect.replicateEffect(keys.create(), 50)
      const terms = { mode: "sandbox", name: "N", scopes: ["orders:read"] }
      const refused = yield* api.operator("POST", keys.path, terms)
      assert.deepStrictEqual([refused.status, refused.body.error], [409, "conflict"])
      yield* keys.create({ mode: "live" })
      yield* api.operator("POST", `${keys.path}/${made[0]!.key_id}/revoke`)
      const both = yield* Effect.replicateEffect(api.operator("POST", keys.path, terms), 2, { concurrency: 2 })
      assert.sameMembers(
        both.map(({ status }) => status),
        [201, 409]
      )
    })
  )

  it.effect("has entries in the audit log for each act, with the key before and after and without its secret", () =>
    Effect.gen(function* () {
      const { api, keys, merchant } = yield* scene
      const { operator_id, token } = yield* newOperator(api, "Ada", "admin")
      const as = (path: string, body: object = {}) => callAs(api, token, "POST", path, body)
      const { key, key_id } = (yield* as(keys.path, { mode: "sandbox", name: "N", scopes: ["orders:read"] })).body.data
      const one = `${keys.path}/${key_id}`
      yield* as(one, { name: "M" })
      const rolled = yield* as(`${one}/roll`, { overlap_minutes: 5 })
      yield* as(`${one}/revoke`)
      const entries = (yield* entriesOf(api, `&actor_id=${operator_id}`)).toReversed()
      assert.deepStrictEqual(
        entries.map(({ act, phase }) => `${act} ${phase}`),
        ["create", "update", "roll", "revoke"].flatMap((act) => [`api_keys.${act} begun`, `api_keys.${act} done`])
      )
      const { after, before } = entries[3]!["details"]
      assert.deepStrictEqual([before.name, after.name], ["N", "M"])
      const ofMerchant = yield* entriesOf(api, `&target=${merchant.merchantId}`)
      assert.includeMembers(
        ofMerchant.map(({ id }) => id),
        entries.map(({ id }) => id)
      )
      for (const secret of [key, rolled.body.data.key]) assert.notInclude(JSON.stringify(entries), secret)
    })
  )
})

describe("a key with scopes, as time goes by,", () => {
  it.live("works until it expires, and is one of those that count no more", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const keys = keysOf(running)
      const { key, key_id } = yield* keys.create({ expires_at: "1970-01-03T00:00:00Z" })
      assert.strictEqual(yield* told(running, key), "200")
      yield* running.leap("47 hours")
      assert.strictEqual(yield* told(running, key), "200")
      yield* running.leap("2 hours")
      assert.strictEqual(yield* told(running, key), "401 invalid_api_key")
      const read = yield* running.api.operator("GET", `${keys.path}/${key_id}`)
      assert.strictEqual(read.body.data.status, "expired")
      const rolled = yield* running.api.operator("POST", `${keys.path}/${key_id}/roll`, { overlap_minutes: 0 })
      assert.strictEqual(rolled.status, 409)
    })
  )

  it.live("has its old secret beside the new one for the overlap, and not longer", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const keys = keysOf(running)
      const roll = (keyId: string, overlap_minutes: number) =>
        Effect.map(
          running.api.operator("POST", `${keys.path}/${keyId}/roll`, { overlap_minutes }),
          ({ body }) => body.data.key as string
        )
      const { key: first, key_id } = yield* keys.create()
      const second = yield* roll(key_id, 60)
      const now = Effect.forEach([first, second], (key) => told(running, key))
      assert.deepStrictEqual(yield* now, ["200", "200"])
      yield* running.leap("59 minutes")
      assert.deepStrictEqual(yield* now, ["200", "200"])
      yield* running.leap("2 minutes")
      assert.deepStrictEqual(yield* now, ["401 invalid_api_key", "200"])

      const third = yield* roll(key_id, 60)
      // An overlap that has begun is not made longer by the next one.
      yield* running.leap("30 minutes")
      const fourth = yield* roll(key_id, 24 * 60)
      yield* running.leap("31 minutes")
      const later = yield* Effect.forEach([second, third, fourth], (key) => told(running, key))
      assert.deepStrictEqual(later, ["401 invalid_api_key", "200", "200"])

      const last = yield* roll(key_id, 0)
      const end = yield* Effect.forEach([third, fourth, last], (key) => told(running, key))
      assert.deepStrictEqual(end, ["401 invalid_api_key", "401 invalid_api_key", "200"])
      yield* running.api.operator("POST", `${keys.path}/${key_id}/revoke`)
      assert.strictEqual(yield* told(running, last), "401 invalid_api_key")
    })
  )

  it.live("expires by real time, wherever its sandbox's clock was moved to", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const keys = keysOf(running)
      const { key } = yield* keys.create({
        scopes: ["balance:read", "test_helpers:write"],
        expires_at: "1970-02-01T00:00:00Z"
      })
      const { api, merchant } = running
      yield* api.post("/v1/test_helpers/clock/advance", merchant.sandboxKey, { by: "1440h" })
      assert.strictEqual(yield* told(running, key), "200")
      const created = (yield* api.operator("GET", `${keys.path}?mode=sandbox`)).body.data.data[0].last_used_at
      assert.isTrue(DateTime.toEpochMillis(DateTime.makeUnsafe(created)) < 60 * 60_000)
    })
  )
})
