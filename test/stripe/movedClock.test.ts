/** Sessions of Stripe end by Stripe's clock, so a sandbox has either Stripe or a moved clock (silences: T7, S25). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused } from "../kit/Merchant.ts"
import { connected, secretKey, worlds } from "./kit.ts"

const keys = { channel: "stripe", secret_key: secretKey, webhook_secret: "whsec_ofTheTests" }

describe("Stripe and the clock of a sandbox", () => {
  it.live("a sandbox whose clock was moved takes no account at Stripe, with the reason", () =>
    Effect.gen(function* () {
      const { api, channelPath, merchant } = yield* worlds()
      const moved = yield* api.post("/v1/test_helpers/clock/advance", merchant.sandboxKey, { by: "1h" })
      assert.strictEqual(moved.status, 200, moved.text)
      const refused = yield* api.operator("POST", channelPath, keys)
      assertRefused(refused, 409, "conflict")
      assert.include(refused.body.message, "clock")
      const { body } = yield* api.operator("GET", channelPath)
      assert.deepStrictEqual([body.data.channel, body.data.has_keys], ["sandbox", false], "nothing is kept")
      // The live environment has no clock of its own.
      const live = `/merchants/${merchant.merchantId}/channels/live`
      const set = yield* api.operator("POST", live, { ...keys, secret_key: "sk_live_1" })
      assert.strictEqual(set.status, 200, set.text)
    })
  )

  it.live("a sandbox with an account at Stripe keeps real time", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* connected()
      const refused = yield* api.post("/v1/test_helpers/clock/advance", merchant.sandboxKey, { by: "1h" })
      assertRefused(refused, 409, "conflict")
    })
  )

  it.live("of two concurrent ones one is done and the other is refused", () =>
    Effect.gen(function* () {
      const { api, channelPath, merchant } = yield* worlds()
      const [moved, set] = yield* Effect.all(
        [
          api.post("/v1/test_helpers/clock/advance", merchant.sandboxKey, { by: "1h" }),
          api.operator("POST", channelPath, keys)
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        [moved.status, set.status].toSorted((a, b) => a - b),
        [200, 409],
        `${moved.text} ${set.text}`
      )
    })
  )
})
