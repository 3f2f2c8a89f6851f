/** Which channel takes a merchant's payments: set by the operator, tried with one call, never shown again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused } from "../kit/Merchant.ts"
import { callAs, newOperator } from "../kit/callers/operators.ts"
import { connected, secretKey, worlds } from "./kit.ts"

const keys = { channel: "stripe", secret_key: secretKey, webhook_secret: "whsec_ofTheTests" }

describe("a merchant's channel", () => {
  it.live("is the sandbox's bank in the sandbox, and none in live, until the operator sets another", () =>
    Effect.gen(function* () {
      const { api, channelPath, merchant } = yield* worlds()
      const sandbox = (yield* api.operator("GET", channelPath)).body.data
      assert.deepStrictEqual(
        [sandbox.channel, sandbox.has_keys, sandbox.set_at, sandbox.account],
        ["sandbox", false, null, null]
      )
      const live = yield* api.operator("GET", `/merchants/${merchant.merchantId}/channels/live`)
      assert.strictEqual(live.body.data.channel, "none")
      assert.notStrictEqual(live.body.data.webhook_url, sandbox.webhook_url)
    })
  )

  it.live("keys are tried with one call, kept sealed, and never shown again", () =>
    Effect.gen(function* () {
      const { api, channelPath, control, sql } = yield* worlds()
      yield* control.fault({ on: "* /v1/balance", kind: "cut_before", times: 2 })
      assertRefused(yield* api.operator("POST", channelPath, keys), 502, "processor_error")
      assert.strictEqual((yield* api.operator("GET", channelPath)).body.data.has_keys, false, "nothing is kept")
      const set = yield* api.operator("POST", channelPath, keys)
      assert.strictEqual(set.status, 200, set.text)
      assert.deepStrictEqual([set.body.data.channel, set.body.data.has_keys], ["stripe", true])
      const shown = (yield* api.operator("GET", channelPath)).text + set.text
      const [row] = yield* sql<{
        text: string
      }>`select string_agg(channel_accounts::text, '') as text from merchant_modes`
      const log = (yield* api.operator("GET", "/audit_log?act=channels.set")).text
      for (const text of [shown, row!.text, log]) {
        assert.notInclude(text, secretKey)
        assert.notInclude(text, keys.webhook_secret)
      }
      assert.include(log, "channels.set")
    })
  )

  it.live("its rank and its methods are kept while they are not said, and belong to an account", () =>
    Effect.gen(function* () {
      const { api, channelPath } = yield* worlds()
      const set = (body: object) => api.operator("POST", channelPath, body)
      assertRefused(yield* set({ channel: "sandbox", rank: 1 }), 400, "invalid_request", "rank")
      assertRefused(yield* set({ ...keys, rank: 0 }), 400, "invalid_request", "rank")
      assertRefused(yield* set({ ...keys, methods: [] }), 400, "invalid_request", "methods")
      assert.deepInclude((yield* set(keys)).body.data, { rank: null, methods: null })
      const route = { rank: 3, methods: ["card"] }
      assert.deepInclude((yield* set({ channel: "stripe", ...route })).body.data, route)
      assert.deepInclude((yield* set({ channel: "stripe", rank: 4 })).body.data, { rank: 4, methods: ["card"] })
      assert.deepInclude((yield* set(keys)).body.data, { rank: 4, methods: ["card"] })
      assert.deepInclude((yield* set({ ...keys, rank: null })).body.data, { rank: null, methods: ["card"] })
      assert.deepInclude((yield* set({ ...keys, methods: null })).body.data, { rank: null, methods: null })
    })
  )

  it.live("a key that Stripe does not accept, or of the other mode, is refused by its name", () =>
    Effect.gen(function* () {
      const { api, channelPath, control, merchant } = yield* worlds()
      const set = (body: object, path = channelPath) => api.operator("POST", path, body)
      const live = `/merchants/${merchant.merchantId}/channels/live`
      assertRefused(yield* set({ ...keys, secret_key: "sk_live_1" }), 400, "invalid_request", "secret_key")
      assertRefused(yield* set(keys, live), 400, "invalid_request", "secret_key")
      assertRefused(yield* set({ ...keys, secret_key: "pk_test_1" }), 400, "invalid_request", "secret_key")
      assertRefused(yield* set({ ...keys, webhook_secret: "secret" }), 400, "invalid_request", "webhook_secret")
      assertRefused(yield* set({ ...keys, account: "1" }), 400, "invalid_request", "account")
      yield* control.revoke_key({ key: secretKey })
      const revoked = yield* set(keys)
      assertRefused(revoked, 400, "invalid_request", "secret_key")
      assert.notInclude(revoked.text, secretKey)
      assert.strictEqual((yield* set({ ...keys, secret_key: "sk_live_1" }, live)).status, 200)
    })
  )

  it.live("the sandbox's bank is never live, and keys belong to stripe alone", () =>
    Effect.gen(function* () {
      const { api, channelPath, merchant } = yield* worlds()
      const live = `/merchants/${merchant.merchantId}/channels/live`
      const set = (body: object, path = channelPath) => api.operator("POST", path, body)
      assertRefused(yield* set({ channel: "sandbox" }, live), 400, "invalid_request", "channel")
      assertRefused(yield* set({ channel: "none" }), 400, "invalid_request", "channel")
      assertRefused(yield* set({ channel: "stripe" }), 400, "invalid_request", "secret_key")
      assertRefused(yield* set({ ...keys, webhook_secret: null }), 400, "invalid_request", "webhook_secret")
      assertRefused(yield* set({ ...keys, channel: "sandbox" }), 400, "invalid_request", "secret_key")
    })
  )

  it.live("switched off it keeps its keys, and what is left out stays as it is", () =>
    Effect.gen(function* () {
      const { api, channelPath } = yield* connected()
      const off = (yield* api.operator("POST", channelPath, { channel: "sandbox" })).body.data
      assert.deepStrictEqual([off.channel, off.has_keys], ["sandbox", true])
      const on = (yield* api.operator("POST", channelPath, { channel: "stripe", account: "acct_1" })).body.data
      assert.deepStrictEqual([on.channel, on.account], ["stripe", "acct_1"])
      const same = (yield* api.operator("POST", channelPath, { channel: "stripe" })).body.data
      assert.strictEqual(same.account, "acct_1")
      const own = (yield* api.operator("POST", channelPath, { channel: "stripe", account: null })).body.data
      assert.isNull(own.account)
    })
  )

  it.live("finance may set it, support may only read it", () =>
    Effect.gen(function* () {
      const { api, channelPath } = yield* worlds()
      const finance = yield* newOperator(api, "Fay", "finance")
      const support = yield* newOperator(api, "Sue", "support")
      assert.strictEqual((yield* callAs(api, support.token, "POST", channelPath, keys)).status, 403)
      assert.strictEqual((yield* callAs(api, support.token, "GET", channelPath)).status, 200)
      assert.strictEqual((yield* callAs(api, finance.token, "POST", channelPath, keys)).status, 200)
    })
  )
})
