/**
 * Changes of webhook endpoints and of signing secrets, without a database: what is decided again, the caller's answer
 * where it cannot be written, and what follows for deliveries (silences: W2 to W6, W10).
 * `test/http/webhooks/endpoints` has the same over HTTP and Postgres.
 */
import type { Account } from "@coffer/model/Account"
import { bodyOf, EndpointId, millisOfId } from "@coffer/model/Ids"
import { Endpoint, type SingleAddress, StoredSecrets } from "@coffer/rules/webhooks/Settings"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, DateTime, Effect, Exit, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Merchants } from "../../src/access/merchants/Merchants.ts"
import { webhookSettings } from "../../src/access/merchants/webhookSettings.ts"
import {
  AlreadyExists,
  type ChangeSet,
  type CommitError,
  NotCommitted,
  StaleVersion
} from "../../src/platform/commit/Change.ts"
import { Transactor } from "../../src/platform/commit/Transactor.ts"
import { Wakeups } from "../../src/platform/commit/Wakeups.ts"
import * as NewIds from "../../src/platform/runtime/NewIds.ts"
import { Secrets } from "../../src/platform/runtime/Secrets.ts"
import { Settings } from "../../src/platform/runtime/Settings.ts"
import { DeliveryStore } from "../../src/webhooks/deliveries/DeliveryStore.ts"
import { singleView } from "../../src/webhooks/deliveries/WebhookEndpointView.ts"
import * as WebhookEndpoints from "../../src/webhooks/deliveries/WebhookEndpoints.ts"
import * as WebhookSettingsStore from "../../src/webhooks/deliveries/WebhookSettingsStore.ts"

const merchantId = "mer_01KAJ4XQ3B6W8T2EQN5VRD4J70"
const account = { merchantId, mode: "sandbox" } as Account
const live = { merchantId, mode: "live" } as Account
const url = "https://shop.example/hooks"
const at = (seconds: number) => DateTime.makeUnsafe(seconds * 1_000)
const single: SingleAddress = {
  id: EndpointId.make("whe_01KAJ4XQ3B6W8T2EQN5VRD4J70"),
  url: `${url}/single`,
  createdAt: at(1),
  updatedAt: at(2)
}
const stale = new StaleVersion({ table: webhookSettings.name, key: "" })
const decodeSigning = Schema.decodeUnknownSync(Schema.fromJsonString(StoredSecrets))
const decodeEndpoints = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Endpoint)))

interface Options {
  readonly single?: SingleAddress
  readonly privateAllowed?: boolean
  readonly released?: number
  /** The database refuses what follows from a change. */
  readonly breaks?: boolean
}

/** One account's settings. `failing`: failures of the next commits. */
const world = Effect.fnUntraced(function* (options: Options = {}) {
  const { breaks = false, privateAllowed = false, released = 1, single } = options
  const failing: Array<CommitError> = []
  const acts: Array<string> = []
  const state = {
    version: 1,
    settings: {
      signing: { current: "sealed", rotatedAt: null, old: [] } as StoredSecrets,
      endpoints: [] as ReadonlyArray<Endpoint>
    }
  }
  const commit = Effect.fnUntraced(function* (_lane: string, [change]: ChangeSet) {
    const failure = failing.shift()
    if (failure !== undefined) return yield* failure
    assert.deepInclude(change, { op: "update", table: webhookSettings.name, replaces: state.version })
    const cell = (field: string) => change!.cells[webhookSettings.columns.findIndex((column) => column.field === field)]
    assert.deepStrictEqual([cell("id"), cell("version")], [`${merchantId}/sandbox`, state.version + 1])
    state.version += 1
    state.settings = { signing: decodeSigning(cell("signing")), endpoints: decodeEndpoints(cell("endpoints")) }
  })
  const act = <A>(what: string, result: A) =>
    breaks ? Effect.die("away") : Effect.sync(() => (acts.push(what), result))
  let drawn = 0
  const services = Layer.mergeAll(
    NewIds.layer,
    Layer.succeed(Transactor, { commit } as unknown as Transactor["Service"]),
    Layer.succeed(WebhookSettingsStore.WebhookSettingsStore, {
      load: () => Effect.sync(() => ({ ...state, single })),
      checkPerson: () => Effect.void
    }),
    Layer.succeed(Merchants, {
      forget: () => Effect.sync(() => void acts.push("forget"))
    } as unknown as Merchants["Service"]),
    Layer.succeed(Settings, { allowPrivateWebhooks: privateAllowed } as Settings["Service"]),
    Layer.succeed(Wakeups, {
      raise: (name: string) => void acts.push(`wake ${name}`)
    } as unknown as Wakeups["Service"]),
    Layer.succeed(Secrets, {
      random: () => Effect.sync(() => `drawn ${++drawn}`),
      encrypt: (plain: string, boundTo: string) => `${boundTo}: ${plain}`,
      decrypt: (sealed: string) => `opened ${sealed}`
    } as unknown as Secrets["Service"]),
    Layer.succeed(DeliveryStore, {
      release: (_: DateTime.Utc, id: string) => act(`release ${id}`, released),
      retarget: (id: string, to: string) => act(`retarget ${id} ${to}`, undefined),
      skipAll: (id: string) => act(`skip ${id}`, undefined)
    } as unknown as DeliveryStore["Service"])
  )
  const context = yield* Layer.build(Layer.provide(WebhookEndpoints.layer, services))
  return { acts, endpoints: Context.get(context, WebhookEndpoints.WebhookEndpoints), failing, state }
})

interface Refusal {
  readonly _tag: string
  readonly param?: string
  readonly reason?: string
}
/** The refusal that a caller gets; `dies` without one. */
const refusal = (effect: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    const dies = Exit.isFailure(exit) && Cause.hasDies(exit.cause)
    const { _tag, param, reason } = (Exit.isFailure(exit) ? Cause.squash(exit.cause) : { _tag: "none" }) as Refusal
    return { _tag, param, reason, dies }
  })

describe("a change of webhook settings", () => {
  it.effect("is decided again where another came first, 64 times at most", () =>
    Effect.gen(function* () {
      const { acts, endpoints, failing, state } = yield* world()
      failing.push(...Array.from({ length: 63 }, () => stale))
      const { id } = yield* endpoints.create(account, { url })
      assert.deepStrictEqual(
        state.settings.endpoints.map((endpoint) => endpoint.id),
        [id]
      )
      assert.lengthOf(acts, 64)
      failing.push(...Array.from({ length: 64 }, () => stale))
      assert.deepInclude(yield* refusal(endpoints.create(account, { url })), {
        _tag: "NotCommitted",
        reason: "overloaded"
      })
      assert.isEmpty(failing)
      assert.lengthOf(state.settings.endpoints, 1)
    })
  )

  it.effect(
    "is not made where its request's claim was taken over, nor where it is not known whether it was written",
    () =>
      Effect.gen(function* () {
        const { acts, endpoints, failing, state } = yield* world()
        for (const [failure, reason] of [
          [new StaleVersion({ table: "idempotency_keys", key: "k" }), "overloaded"],
          [new NotCommitted({ reason: "unknown" }), "unknown"]
        ] as const) {
          failing.push(failure)
          assert.deepInclude(yield* refusal(endpoints.create(account, { url })), {
            _tag: "NotCommitted",
            reason,
            dies: false
          })
        }
        failing.push(new AlreadyExists({ table: "idempotency_keys", key: "k" }))
        assert.deepInclude(yield* refusal(endpoints.create(account, { url })), { _tag: "AlreadyExists", dies: true })
        assert.isEmpty(state.settings.endpoints)
        // The next request reads what may have been written.
        assert.deepStrictEqual(acts, ["forget", "forget", "forget"])
      })
  )
})

describe("a new endpoint", () => {
  it.effect("takes all events and is not disabled for failing, unless its merchant says so", () =>
    Effect.gen(function* () {
      const { endpoints, state } = yield* world()
      const { created_at, id, updated_at, ...rest } = yield* endpoints.create(account, { url })
      assert.deepStrictEqual(rest, {
        object: "webhook_endpoint",
        mode: "sandbox",
        url,
        description: null,
        enabled_events: ["*"],
        status: "enabled",
        disable_when_failing: false,
        is_default: false,
        rotated_at: null,
        previous_until: null,
        previous_ends: [],
        secret: "whsec_drawn 1"
      })
      assert.strictEqual(created_at, updated_at)
      assert.strictEqual(
        state.settings.endpoints[0]!.secrets.current,
        `${merchantId}/sandbox/${id}/signing_secret: whsec_drawn 1`
      )
      const chosen = {
        url,
        description: "Warehouse",
        enabled_events: ["dispute.won"],
        disable_when_failing: true
      } as const
      assert.deepInclude(yield* endpoints.create(account, chosen), chosen)
    })
  )

  it.effect("has a later number than the others and the single address have, also where the clock is behind them", () =>
    Effect.gen(function* () {
      const { endpoints } = yield* world({ single })
      yield* TestClock.setTime(millisOfId(bodyOf(single.id)) - 60_000)
      const first = yield* endpoints.create(account, { url })
      const second = yield* endpoints.create(account, { url })
      assert.isTrue(single.id < first.id && first.id < second.id, `${single.id} ${first.id} ${second.id}`)
    })
  )

  it.effect("has an address of the public net, except in a sandbox where the operator allows others", () =>
    Effect.gen(function* () {
      const { endpoints } = yield* world()
      const open = (yield* world({ privateAllowed: true })).endpoints
      const inside = { url: "http://127.0.0.1/" }
      const { id } = yield* open.create(account, inside)
      yield* open.update(account, id, { url: "http://127.0.0.2/" })
      for (const made of [
        endpoints.create(account, inside),
        open.create(live, inside),
        open.update(live, id, inside)
      ]) {
        assert.deepInclude(yield* refusal(made), { _tag: "InvalidField", param: "url" })
      }
    })
  )
})

describe("a change of an endpoint", () => {
  it.effect("leaves what was not sent as it is", () =>
    Effect.gen(function* () {
      const { endpoints, state } = yield* world()
      const all = { url, description: "a", enabled_events: ["dispute.won"], disable_when_failing: true } as const
      const { id } = yield* endpoints.create(account, all)
      const [before] = state.settings.endpoints
      for (const [sent, stored] of [
        [{}, {}],
        [{ url: `${url}/2` }, { url: `${url}/2` }],
        [{ description: null }, { description: null }],
        [{ enabled_events: ["*"] }, { types: ["*"] }],
        [{ disable_when_failing: false }, { disablesWhenFailing: false }],
        [{ status: "disabled" }, { status: "disabled" }],
        [{ disabled: false }, { status: "enabled" }],
        [{ disabled: true }, { status: "disabled" }],
        [{ status: "paused" }, { status: "enabled", isPaused: true }]
      ] as const) {
        state.settings = { ...state.settings, endpoints: [before!] }
        yield* endpoints.update(account, id, sent)
        const [{ updatedAt: _, ...after }] = state.settings.endpoints as [Endpoint]
        const { updatedAt: __, ...expected } = { ...before!, ...stored }
        assert.deepStrictEqual(after, expected, JSON.stringify(sent))
      }
    })
  )

  it.effect("says with one word whether it is enabled", () =>
    Effect.gen(function* () {
      const { endpoints } = yield* world()
      const { id } = yield* endpoints.create(account, { url })
      const both = endpoints.update(account, id, { status: "enabled", disabled: false })
      assert.deepInclude(yield* refusal(both), { _tag: "InvalidField", param: "disabled" })
    })
  )

  it.effect("moves what is pending with the address, and lets go what waits with the status", () =>
    Effect.gen(function* () {
      for (const released of [1, 0]) {
        const { acts, endpoints } = yield* world({ released })
        const { id } = yield* endpoints.create(account, { url })
        for (const [sent, followed] of [
          [{ description: "b" }, []],
          [{ url: `${url}/2` }, [`retarget ${id} ${url}/2`]],
          [{ status: "enabled" }, [`release ${id}`, ...(released > 0 ? ["wake deliveries"] : [])]]
        ] as const) {
          acts.length = 0
          yield* endpoints.update(account, id, sent)
          assert.deepStrictEqual(acts, ["forget", ...followed])
        }
        acts.length = 0
        assert.deepStrictEqual(yield* endpoints.remove(account, id), { object: "webhook_endpoint", id, deleted: true })
        assert.deepStrictEqual(acts, ["forget", `skip ${id}`])
        assert.strictEqual((yield* refusal(endpoints.find(account, id)))._tag, "EndpointNotFound")
      }
    })
  )

  it.effect("is made also where the database does not take what follows for deliveries", () =>
    Effect.gen(function* () {
      const { endpoints, state } = yield* world({ breaks: true })
      const { id } = yield* endpoints.create(account, { url })
      const changed = yield* endpoints.update(account, id, { url: `${url}/2`, status: "disabled" })
      assert.deepInclude(changed, { url: `${url}/2`, status: "disabled" })
      yield* endpoints.remove(account, id)
      assert.isEmpty(state.settings.endpoints)
    })
  )

  it.effect("disables one for failing only where its merchant wants that", () =>
    Effect.gen(function* () {
      const { endpoints } = yield* world()
      const plain = yield* endpoints.create(account, { url })
      const strict = yield* endpoints.create(account, { url, disable_when_failing: true })
      assert.strictEqual((yield* endpoints.disableFailing(account, plain.id)).status, "enabled")
      assert.strictEqual((yield* endpoints.disableFailing(account, strict.id)).status, "disabled")
    })
  )

  it.effect("is refused for the single address, which is shown as any other", () =>
    Effect.gen(function* () {
      const { acts, endpoints } = yield* world({ single })
      const { created_at: _, secret, updated_at: __, ...other } = yield* endpoints.create(account, { url })
      assert.strictEqual(secret, "whsec_drawn 1")
      acts.length = 0
      for (const [change, tag] of [
        [endpoints.update(account, single.id, { status: "disabled" }), "SingleAddressManaged"],
        [endpoints.remove(account, single.id), "SingleAddressManaged"],
        [endpoints.rotateSecret(account, single.id), "SecretManaged"]
      ] as const) {
        assert.strictEqual((yield* refusal(change))._tag, tag)
      }
      assert.isEmpty(acts)
      assert.deepStrictEqual(yield* endpoints.find(account, single.id), singleView("sandbox", single))
      assert.deepInclude(yield* endpoints.find(account, other.id), other)
      const { data } = yield* endpoints.page(account, {})
      assert.deepStrictEqual(
        data.map(({ id }) => id),
        [single.id, other.id]
      )
      const { endpoints: without } = yield* world()
      assert.isEmpty((yield* without.page(account, {})).data)
      assert.strictEqual((yield* refusal(without.find(account, single.id)))._tag, "EndpointNotFound")
    })
  )
})

describe("a secret", () => {
  it.effect("that is new is in the answer, is stored for its place alone, and the one before signs for a day", () =>
    Effect.gen(function* () {
      const { endpoints, state } = yield* world()
      const { id } = yield* endpoints.create(account, { url })
      const rotated = yield* endpoints.rotateSecret(account, id)
      assert.strictEqual(rotated.secret, "whsec_drawn 2")
      const bound = `${merchantId}/sandbox/${id}/signing_secret`
      const [{ secrets }] = state.settings.endpoints as [Endpoint]
      assert.deepStrictEqual(
        [secrets.current, secrets.old[0]!.secret],
        [`${bound}: whsec_drawn 2`, `${bound}: whsec_drawn 1`]
      )

      assert.deepStrictEqual(yield* endpoints.signingSecret(account), {
        object: "webhook_signing_secret",
        mode: "sandbox",
        secret: "opened sealed",
        rotated_at: null,
        previous_until: null,
        previous_ends: []
      })
      const shown = yield* endpoints.rotateSigningSecret(account)
      assert.deepInclude(shown, {
        secret: "whsec_drawn 3",
        rotated_at: "1970-01-01T00:00:00.000Z",
        previous_until: "1970-01-02T00:00:00.000Z"
      })
      assert.strictEqual(state.settings.signing.current, `${merchantId}/sandbox/signing_secret: whsec_drawn 3`)
    })
  )
})
