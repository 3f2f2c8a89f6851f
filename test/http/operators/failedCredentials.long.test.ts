/** Unknown keys and tokens: counted, logged now and then, and refused by address when they are many. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { addressesMax, FailedCredentials, layerFailedCredentials } from "../../../src/door/edge/PublicAdmission.ts"
import { AuditLog } from "../../../src/access/operators/AuditLog.ts"
import { Secrets } from "../../../src/platform/runtime/Secrets.ts"
import { entriesOf } from "../../kit/callers/operators.ts"
import { start } from "../../kit/Service.ts"

const env = { TRUSTED_PROXIES: "127.0.0.1" }
const from = (ip: string, key: string) => ({ headers: { "X-Api-Key": key, "X-Forwarded-For": ip } })

it.live("an address with 300 wrong keys in a minute is refused, and others and known keys are not", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start({ env })
    const ask = (ip: string, key: string) => api.call("GET", "/v1/balance", from(ip, key))
    yield* ask("203.0.113.7", merchant.sandboxKey)
    const wrong = Array.from({ length: 300 }, (_, index) => ask("203.0.113.7", `svc_test_${index}`))
    const statuses = (yield* Effect.all(wrong, { concurrency: 10 })).map(({ status }) => status)
    assert.deepStrictEqual(new Set(statuses), new Set([401]))
    const refused = yield* ask("203.0.113.7", "svc_test_next")
    assert.deepStrictEqual([refused.status, refused.body.error], [429, "rate_limited"])
    assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
    assert.strictEqual((yield* ask("203.0.113.7", merchant.sandboxKey)).status, 200)
    assert.strictEqual((yield* ask("203.0.113.8", "svc_test_next")).status, 401)
    const metrics = yield* api.call("GET", "/metrics", { headers: {} })
    assert.match(metrics.text, /coffer_credentials_refused_total\{of="merchant"\} 302/)
    const entries = yield* entriesOf(api, "&act=credentials.merchant")
    assert.sameMembers(
      entries.map(({ target }) => target),
      ["203.0.113.7", "203.0.113.8"]
    )
  })
)

it.live("wrong keys from the addresses of one network of IPv6 (/64) count together", () =>
  Effect.gen(function* () {
    const { api } = yield* start({ env })
    const ask = (network: string, index: number) =>
      api.call("GET", "/v1/balance", from(`${network}::${index.toString(16)}`, `svc_test_${index}`))
    const wrong = Array.from({ length: 300 }, (_, index) => ask("2001:db8:1:2", index + 1))
    const statuses = (yield* Effect.all(wrong, { concurrency: 10 })).map(({ status }) => status)
    assert.deepStrictEqual(new Set(statuses), new Set([401]))
    assert.strictEqual((yield* ask("2001:db8:1:2", 999)).status, 429)
    assert.strictEqual((yield* ask("2001:db8:1:3", 999)).status, 401)
  })
)

it.live("a key that was reset and is sent on keeps neither the new key nor others from its address out", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start({ env })
    const other = yield* api.newMerchant()
    const ask = (key: string) => api.call("GET", "/v1/balance", from("203.0.113.9", key))
    const { body } = yield* api.operator("POST", `/merchants/${merchant.merchantId}/keys/sandbox/reset`)
    const old = Array.from({ length: 400 }, () => ask(merchant.sandboxKey))
    const statuses = (yield* Effect.all(old, { concurrency: 10 })).map(({ status }) => status)
    assert.deepStrictEqual(new Set(statuses), new Set([401]))
    assert.strictEqual((yield* ask(body.data.key)).status, 200)
    assert.strictEqual((yield* ask(other.sandboxKey)).status, 200)
  })
)

it.live("300 different reset keys do not lock their address out, and as many unknown ones do", () =>
  Effect.gen(function* () {
    const { api, context, merchant, sql } = yield* start({ env })
    const { keyHash } = Context.get(context as Context.Context<Secrets>, Secrets)
    const ip = "203.0.113.9"
    const ask = (key: string) => api.call("GET", "/v1/balance", from(ip, key))
    const statuses = (keys: ReadonlyArray<string>) =>
      Effect.map(Effect.all(keys.map(ask), { concurrency: 10 }), (replies) => [
        ...new Set(replies.map(({ status }) => status))
      ])
    const reset = Effect.map(
      api.operator("POST", `/merchants/${merchant.merchantId}/keys/sandbox/reset`),
      ({ body }) => body.data.key as string
    )
    const key = yield* reset
    const isKept = yield* sql`select 1 from api_key_secrets
      where key_hash = ${keyHash(merchant.sandboxKey)} and ends_at is not null`
    assert.lengthOf(isKept, 1)
    const made = (what: string) =>
      Array.from({ length: 310 }, (_, index) => `svc_test_${`${what}${index}`.padEnd(43, "x")}`)
    const ended = made("ended")
    yield* sql`insert into ended_keys select unnest(${ended.map(keyHash)}::text[])`
    assert.deepStrictEqual(yield* statuses(ended), [401])
    assert.strictEqual((yield* ask(key)).status, 200)
    assert.includeMembers(yield* statuses(made("guessed")), [401, 429])
    assert.strictEqual((yield* ask(made("next")[0]!)).status, 429)
  })
)

it.live("an operator's token that is used after its end does not lock out others of its address", () =>
  Effect.gen(function* () {
    const { api } = yield* start({ env })
    const ask = (token: string) =>
      api.call("GET", "/operator/v1/cluster", {
        headers: { Authorization: `Bearer ${token}`, "X-Forwarded-For": "203.0.113.9" }
      })
    const made = yield* api.operator("POST", "/operators", { name: "leaver", role: "viewer" })
    yield* api.operator("POST", `/operators/${made.body.data.operator_id}/revoke`)
    const old = Array.from({ length: 400 }, () => ask(made.body.data.token))
    const statuses = (yield* Effect.all(old, { concurrency: 10 })).map(({ status }) => status)
    assert.deepStrictEqual(new Set(statuses), new Set([401]))
    const next = yield* api.operator("POST", "/operators", { name: "next", role: "viewer" })
    assert.strictEqual((yield* ask(next.body.data.token)).status, 200)
  })
)

it.live(
  "an address with 300 wrong cookies of sessions in a minute is refused, and the same one again counts once",
  () =>
    Effect.gen(function* () {
      const { api } = yield* start({ env })
      const ask = (ip: string, secret: string) =>
        api.call("GET", "/console/api/session", {
          headers: { "Coffer-Console": "1", Cookie: `coffer_session=${secret.padEnd(43, "x")}`, "X-Forwarded-For": ip }
        })
      const statuses = (secrets: ReadonlyArray<string>) =>
        Effect.map(
          Effect.all(
            secrets.map((secret) => ask("203.0.113.7", secret)),
            { concurrency: 10 }
          ),
          (replies) => [...new Set(replies.map(({ status }) => status))]
        )
      assert.strictEqual((yield* ask("203.0.113.7", "ended")).status, 401)
      assert.deepStrictEqual(yield* statuses(Array.from({ length: 400 }, () => "ended")), [401])
      assert.deepStrictEqual(yield* statuses(Array.from({ length: 299 }, (_, index) => `guess${index}`)), [401])
      const refused = yield* ask("203.0.113.7", "next")
      assert.deepStrictEqual([refused.status, refused.body.error], [429, "rate_limited"])
      assert.strictEqual((yield* ask("203.0.113.8", "next")).status, 401)
      const metrics = yield* api.call("GET", "/metrics", { headers: {} })
      assert.match(metrics.text, /coffer_credentials_refused_total\{of="person"\} 70\d/)
      const entries = yield* entriesOf(api, "&act=credentials.person")
      assert.sameMembers(
        entries.map(({ target }) => target),
        ["203.0.113.7", "203.0.113.8"]
      )
    })
)

/**
 * The entries that it writes when this many addresses send a wrong key each, one after the other, and how many are
 * refused.
 */
const flooded = Effect.fnUntraced(function* (addresses: number, each: number) {
  const written = { entries: 0, lines: 0, refused: 0 }
  const log = Layer.succeed(AuditLog, {
    write: () => Effect.sync(() => void written.entries++),
    writeOnce: () => Effect.die("not asked for"),
    writeCounts: () => Effect.void,
    page: () => Effect.die("not read"),
    pageOf: () => Effect.die("not read"),
    exported: () => Effect.die("not read")
  })
  const lines = Logger.layer([Logger.make(() => void written.lines++)])
  const context = yield* Layer.build(Layer.provide(layerFailedCredentials, log))
  const failed = Context.get(context, FailedCredentials)
  yield* Effect.gen(function* () {
    for (let n = 0; n < addresses; n++) {
      const ip = `2001:db8:${n.toString(16)}::1`
      for (let key = 0; key < each; key++) {
        yield* failed.check("merchant", ip).pipe(
          Effect.andThen(failed.note("merchant", ip, `${ip} ${key}`)),
          Effect.catch(() => Effect.sync(() => void written.refused++))
        )
      }
    }
    yield* TestClock.adjust("0 seconds")
  }).pipe(Effect.provide(lines))
  return { ...written, remembered: failed.size() }
})

it.effect(
  "500 wrong keys a second of one address for a minute are one line and one entry, and all but 300 unread",
  () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* flooded(1, 30_000), { entries: 1, lines: 1, refused: 29_700 })
    }).pipe(Effect.provide(TestClock.layer()))
)

it.effect(
  "however many addresses send wrong keys, what is written in a minute and what is remembered have limits",
  () =>
    Effect.gen(function* () {
      const { entries, lines, remembered } = yield* flooded(addressesMax + 5_000, 1)
      assert.deepStrictEqual([entries, lines], [60, 60])
      assert.isAtMost(remembered, addressesMax)
    }).pipe(Effect.provide(TestClock.layer()))
)
