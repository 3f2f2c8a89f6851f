/**
 * An act that can be repeated without end has one entry an hour in the audit log, which is never shortened, and a
 * number.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { callAs, entriesOf, newOperator } from "../../kit/callers/operators.ts"
import { said } from "../../kit/Merchant.ts"
import { freshDatabase, start } from "../../kit/Service.ts"

const path = "/v1/webhook_signing_secret"

describe("reads of a merchant's own signing secret", () => {
  it.live("are one entry an hour for each environment, also of many at once, and the others are counted", () =>
    Effect.gen(function* () {
      const { api, merchant, pass } = yield* start({ clock: "test" })
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
      const entries = Effect.map(entriesOf(api, "&act=webhook_signing_secret.get"), (all) =>
        all.map(({ details, target }) => [target, details["repeated"]])
      )
      const read = (key: string) => said(api.get(path, key))
      yield* Effect.replicateEffect(read(merchant.sandboxKey), 20, { concurrency: "unbounded" })
      yield* read(merchant.sandboxKey)
      yield* read(merchant.liveKey)
      const first = [
        ["live/webhook_signing_secret", undefined],
        ["sandbox/webhook_signing_secret", undefined]
      ]
      assert.deepStrictEqual(yield* entries, first)
      yield* pass("2 hours")
      assert.deepStrictEqual(yield* entries, [["sandbox/webhook_signing_secret", 20], ...first])
      yield* read(merchant.sandboxKey)
      assert.lengthOf(yield* entries, 4)
    })
  )

  it.live("are counted at the latest when the process stops", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { api, merchant } = yield* start({ database })
          yield* Effect.replicateEffect(said(api.get(path, merchant.sandboxKey)), 3)
        })
      )
      const { api } = yield* start({ database })
      const found = yield* entriesOf(api, "&act=webhook_signing_secret.get")
      assert.deepStrictEqual(
        found.map(({ details }) => details["repeated"]),
        [2, undefined]
      )
    })
  )
})

it.live("secrets of a sandbox that are replaced without end are one entry an hour, and live ones one each", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start()
    yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
    for (const key of [merchant.sandboxKey, merchant.liveKey]) {
      yield* Effect.replicateEffect(said(api.post(`${path}/rotate`, key)), 3)
    }
    const found = yield* entriesOf(api, "&act=webhook_signing_secret.rotate")
    assert.deepStrictEqual(
      found.map(({ target }) => target.replace(/\/.*/, "")),
      ["live", "live", "live", "sandbox"]
    )
  })
)

it.live("acts that a role may not do are one entry an hour and act, whatever they were aimed at, and counted", () =>
  Effect.gen(function* () {
    const { api, pass } = yield* start({ clock: "test" })
    const { token } = yield* newOperator(api, "Vi", "viewer")
    const refused = (target: string) => callAs(api, token, "POST", target, {})
    const long = "a".repeat(2_000)
    for (let number = 0; number < 30; number++) {
      assert.strictEqual((yield* refused(`/merchants/${number}${long}`)).status, 403)
    }
    assert.strictEqual((yield* refused("/merchants")).status, 403)
    const entries = Effect.map(entriesOf(api), (all) => all.filter(({ actor }) => actor === "Vi"))
    const acts = Effect.map(entries, (all) => all.map(({ act, details }) => [act, details["repeated"]]))
    assert.deepStrictEqual(yield* acts, [
      ["merchants.create", undefined],
      ["merchants.update", undefined]
    ])
    assert.isAtMost((yield* entries)[1]!.target.length, 513, "an entry does not keep an address of any length")
    yield* pass("2 hours")
    assert.deepStrictEqual((yield* acts)[0], ["merchants.update", 29])
  })
)

it.live("an entry that a moved sandbox makes has real time, and stands where it belongs", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start()
    const before = Date.now()
    yield* said(api.post("/v1/test_helpers/clock/advance", merchant.sandboxKey, { by: "1600d" }))
    yield* said(api.get(path, merchant.sandboxKey))
    yield* said(api.post(`${path}/rotate`, merchant.sandboxKey))
    yield* said(api.operator("POST", `/merchants/${merchant.merchantId}`, { note: "an act of now" }))
    const all = yield* entriesOf(api)
    assert.strictEqual(all[0]!.act, "merchants.update", "what was done last stands first")
    for (const { created_at } of all) {
      assert.isAtLeast(Date.parse(created_at), before - 60_000)
      assert.isAtMost(Date.parse(created_at), Date.now())
    }
  })
)
