/** Webhook endpoints and secrets as they are shown and stored (spec: Webhook endpoint; silences: W2, W6). */
import type { EndpointResource } from "@coffer/contract/WebhookEndpoints"
import type { Account } from "@coffer/model/Account"
import { EndpointId } from "@coffer/model/Ids"
import type { Endpoint, SingleAddress } from "@coffer/rules/webhooks/Settings"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { endpointView, signingView, singleView } from "../../src/webhooks/deliveries/WebhookEndpointView.ts"
import * as WebhookSettingsStore from "../../src/webhooks/deliveries/WebhookSettingsStore.ts"

const merchantId = "mer_01KAJ4XQ3B6W8T2EQN5VRD4J70"
const account = { merchantId, mode: "sandbox" } as Account
const url = "https://shop.example/hooks"
const at = (seconds: number) => DateTime.makeUnsafe(seconds * 1_000)
const single: SingleAddress = {
  id: EndpointId.make("whe_01KAJ4XQ3B6W8T2EQN5VRD4J70"),
  url: `${url}/single`,
  createdAt: at(1),
  updatedAt: at(2)
}

describe("the account's secret on the wire", () => {
  it("says until when the one before it signs, and no more when that is over", () => {
    const stored = {
      current: "c",
      rotatedAt: at(1),
      old: [
        { secret: "b", until: at(100) },
        { secret: "a", until: at(50) }
      ]
    }
    const shown = {
      object: "webhook_signing_secret",
      mode: "live",
      secret: "s",
      rotated_at: "1970-01-01T00:00:01.000Z"
    } as const
    assert.deepStrictEqual(signingView("live", "s", stored, at(99)), {
      ...shown,
      previous_until: "1970-01-01T00:01:40.000Z",
      previous_ends: ["1970-01-01T00:01:40.000Z"]
    })
    const over = { previous_until: null, previous_ends: [] }
    assert.deepStrictEqual(signingView("live", "s", stored, at(100)), { ...shown, ...over })
    assert.deepInclude(signingView("live", "s", { ...stored, old: [] }, at(0)), over)
    assert.deepStrictEqual(signingView("live", "s", stored, at(0)).previous_ends, [
      "1970-01-01T00:00:50.000Z",
      "1970-01-01T00:01:40.000Z"
    ])
  })
})

describe("an endpoint on the wire", () => {
  const endpoint: Endpoint = {
    id: single.id,
    url,
    description: null,
    types: ["dispute.won", "retired.type", "*"],
    status: "enabled",
    secrets: { current: "s", rotatedAt: null, old: [] },
    createdAt: at(1),
    updatedAt: at(2)
  }

  it("is paused only where it is enabled, and shows no type that there is no more", () => {
    const statusOf = (changes: Partial<Endpoint>) => endpointView("live", { ...endpoint, ...changes }, at(0)).status
    assert.strictEqual(statusOf({}), "enabled")
    assert.strictEqual(statusOf({ isPaused: false }), "enabled")
    assert.strictEqual(statusOf({ isPaused: true }), "paused")
    assert.strictEqual(statusOf({ status: "disabled" }), "disabled")
    assert.strictEqual(statusOf({ status: "disabled", isPaused: true }), "disabled")
    assert.deepStrictEqual(endpointView("live", endpoint, at(0)).enabled_events, ["dispute.won", "*"])
  })

  it("is disabled for failing only where it says so; the single address never is", () => {
    assert.isFalse(endpointView("live", endpoint, at(0)).disable_when_failing)
    assert.isTrue(endpointView("live", { ...endpoint, disablesWhenFailing: true }, at(0)).disable_when_failing)
    const shown: EndpointResource = {
      object: "webhook_endpoint",
      id: single.id,
      mode: "live",
      url: single.url,
      description: null,
      enabled_events: ["*"],
      status: "enabled",
      disable_when_failing: false,
      is_default: true,
      rotated_at: null,
      previous_until: null,
      previous_ends: [],
      created_at: "1970-01-01T00:00:01.000Z",
      updated_at: "1970-01-01T00:00:02.000Z"
    }
    assert.deepStrictEqual(singleView("live", single), shown)
  })
})

describe("the rows of webhook settings", () => {
  it.effect("have a single address only where the merchant has one now", () =>
    Effect.gen(function* () {
      const settings = { signing: { current: "sealed", rotatedAt: null, old: [] }, endpoints: [] }
      const number = { id: single.id, createdAt: DateTime.formatIso(at(1)), updatedAt: DateTime.formatIso(at(2)) }
      for (const [address, numbered, expected] of [
        [null, null, undefined],
        [null, number, undefined],
        [single.url, number, single]
      ] as const) {
        const rows: Record<string, object> = {
          [`${merchantId}/sandbox`]: {
            id: `${merchantId}/sandbox`,
            version: 7,
            merchant_id: merchantId,
            mode: "sandbox",
            ...settings
          },
          [merchantId]: { default_notify_url: address, default_endpoint: numbered }
        }
        const sql = (_: TemplateStringsArray, key: string) => Effect.succeed([rows[key]])
        const store = yield* WebhookSettingsStore.WebhookSettingsStore.pipe(
          Effect.provide(WebhookSettingsStore.layer),
          Effect.provideService(SqlClient.SqlClient, sql as unknown as SqlClient.SqlClient)
        )
        const found = yield* store.load(account)
        assert.deepStrictEqual([found.version, found.single], [7, expected])
        assert.deepInclude(found.settings, settings)
      }
    })
  )
})
