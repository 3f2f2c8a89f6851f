/** `SECRET_KEY` is changed while merchants, buyers and receivers keep using what they have (silences: U16 to U18). */
import { createHash } from "node:crypto"
import { tmpdir } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, DateTime, Effect, Layer, Logger, Option, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { MerchantId } from "@coffer/model/Ids"
import * as Doubt from "@coffer/cluster/Doubt"
import * as KeyStore from "../../src/access/secretKey/KeyStore.ts"
import { Merchants } from "../../src/access/merchants/Merchants.ts"
import * as Channel from "../../src/shared/channel/Channel.ts"
import { stripeChannel } from "../../src/channels/stripe/payment.ts"
import { sealStripeKeys, toStore } from "../../src/channels/stripe/StripeClient.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import * as SecretCheck from "../../src/platform/postgres/SecretCheck.ts"
import * as DataDir from "../../src/platform/runtime/DataDir.ts"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import { derive, tryUnseal } from "../../src/platform/runtime/Secrets.ts"
import * as Secrets from "../../src/platform/runtime/Secrets.ts"
import * as Settings from "../../src/platform/runtime/Settings.ts"
import * as Wiring from "../../src/Wiring.ts"
import { hooksOf, stripeAccepts } from "../kit/callers/Hooks.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { callAs, newOperator } from "../kit/callers/operators.ts"
import { receiver } from "../kit/Receiver.ts"
import { connect } from "../kit/Process.ts"
import {
  freshDatabase,
  operatorToken,
  otherSecretKey,
  type Running,
  secretBytes,
  secretKey,
  start
} from "../kit/Service.ts"

const third = createHash("sha256").update("a third key").digest("base64")
const newBytes = createHash("sha256").update("another key").digest()
const before = { SECRET_KEY: secretKey }
const during = { SECRET_KEY: otherSecretKey, SECRET_KEY_PREVIOUS: secretKey }
const after = { SECRET_KEY: otherSecretKey }

const hour = 3_600_000

/** A service of one phase, some hours after those of the phases before. */
const phase = (database: string, env: Record<string, string>, phase: number, lines: Array<string> = []) =>
  start({
    clock: "test",
    database,
    env,
    begins: phase * hour,
    faults: Layer.merge(Faults.layer, Logger.layer([Logger.make(({ message }) => lines.push(String(message)))]))
  })

const pathOf = (url: string) => new URL(url).pathname

/** Everything that depends on the key, as a merchant, a buyer and an operator have it from the start. */
const given = Effect.fnUntraced(function* (running: Running, url: string) {
  const { api, merchant } = running
  const hooks = hooksOf(running, merchant)
  const create = { key: merchant.sandboxKey, headers: { "Idempotency-Key": "k" }, body: { url, enabled_events: ["*"] } }
  const endpoint = yield* api.call("POST", "/v1/webhook_endpoints", create)
  assert.strictEqual(endpoint.status, 201, endpoint.text)
  yield* hooks.rotateSecret
  const { body: order } = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1_000 })
  const paid = yield* merchantOf(running).paid(2_000)
  const { token } = yield* newOperator(api, "Ann", "viewer")
  const account = { merchantId: MerchantId.make(merchant.merchantId), mode: "live" as const }
  const stripeKeys = { secretKey: "sk_live_1", webhookSecret: "whsec_1" }
  const sealed = sealStripeKeys(Context.get(running.context, Secrets.Secrets), account, stripeKeys)
  const stripe = { ...sealed, isActive: false, account: null, setAt: "2026-01-01T00:00:00.000Z" }
  yield* Context.get(running.context, Merchants).setChannelAccount(account, stripeChannel, toStore(stripe))
  const signing = (yield* hooks.secret).secret as string
  return {
    merchant,
    token,
    account: signing,
    create,
    endpoint: endpoint.body.data,
    checkout: pathOf(order.data.checkout_url),
    receipt: pathOf((yield* merchantOf(running).order(paid["trade_no"])).receipt_url)
  }
})

type Given = Effect.Success<ReturnType<typeof given>>

const keepsWorking = Effect.fnUntraced(function* (
  { api, sql }: Running,
  { account, checkout, create, endpoint, merchant, receipt, token }: Given,
  hook: Effect.Success<typeof receiver>
) {
  const hooks = hooksOf({ api, sql } as Running, merchant)
  assert.strictEqual((yield* api.get("/v1/balance", merchant.sandboxKey)).status, 200)
  assert.strictEqual((yield* api.get("/v1/balance", merchant.liveKey)).status, 403, "known, and not approved")
  assert.strictEqual((yield* callAs(api, token, "GET", "/operators")).status, 403, "known, and a viewer")
  assert.strictEqual((yield* callAs(api, `${token.slice(0, -1)}_`, "GET", "/operators")).status, 401)
  assert.strictEqual((yield* hooks.secret).secret, account)
  for (const address of [checkout, receipt]) {
    assert.strictEqual((yield* api.call("GET", address, {})).status, 200, address)
    assert.strictEqual((yield* api.call("GET", `${address.slice(0, -2)}00`, {})).status, 404, address)
  }
  const repeated = yield* api.call("POST", "/v1/webhook_endpoints", create)
  assert.deepStrictEqual([repeated.status, repeated.body.data], [201, endpoint])
  const { trade_no } = yield* hooks.paid()
  for (let got = yield* hook.next; ; got = yield* hook.next) {
    assert.isTrue(stripeAccepts(got, endpoint.secret))
    if (got.event.data.object.trade_no === trade_no) break
  }
})

/** Sealed texts of the whole database that this key opens, and all of them. */
const sealedBy = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, secret: Buffer) {
  const rows = yield* sql<{ id: string; use: string; text: string }>`
    select id, id || '/signing_secret' as use, signing->>'current' as text from webhook_settings
    union all select w.id, w.id || '/signing_secret', o->>'secret' from webhook_settings w, jsonb_array_elements(signing->'old') o
    union all select w.id, w.id || '/' || (e->>'id') || '/signing_secret', e->'secrets'->>'current'
      from webhook_settings w, jsonb_array_elements(endpoints) e
    union all select id, 'idempotency_keys/' || id, data from idempotency_keys where data like '2.%'
    union all select '', merchant_id || '/' || mode || '/stripe/secret_key', channel_accounts->'stripe'->'own'->>'secretKey'
      from merchant_modes where channel_accounts <> '{}'
    union all select '', merchant_id || '/' || mode || '/stripe/webhook_secret', channel_accounts->'stripe'->'own'->>'webhookSecret'
      from merchant_modes where channel_accounts <> '{}'
    union all select '', 'secret_check/kept', kept from secret_check where kept is not null`
  const opened = rows.filter(({ text, use }) => Option.isSome(tryUnseal(derive(secret, "webhook-secrets"), text, use)))
  return { all: rows.length, opened: opened.length, uses: rows.map(({ use }) => use) }
})

const metric = (running: Running, name: string) =>
  Effect.map(running.api.get("/metrics"), ({ text }) =>
    Number(new RegExp(`^${name}(?:\\{\\S*\\})? (\\d+)`, "m").exec(text)?.[1])
  )

const refused = (database: string, env: Record<string, string>) =>
  Effect.map(Effect.flip(start({ clock: "test", database, env })), (error) => String((error as Error).message))

describe("a change of SECRET_KEY", () => {
  it.effect("keys, tokens, addresses, answers and signatures work before, during and after it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const hook = yield* receiver
        const all = yield* Effect.scoped(
          Effect.gen(function* () {
            const running = yield* phase(database, before, 1)
            const all = yield* given(running, hook.url)
            yield* keepsWorking(running, all, hook)
            return all
          })
        )
        const lines: Array<string> = []
        yield* Effect.scoped(
          Effect.gen(function* () {
            const running = yield* phase(database, during, 2, lines)
            yield* keepsWorking(running, all, hook)
            assert.include(lines.join("\n"), "all runners have the new SECRET_KEY")
            assert.strictEqual(yield* metric(running, "coffer_secret_key_change"), 1)
            assert.include(
              yield* refused(database, after),
              "may still be encrypted with the previous key. Set SECRET_KEY_PREVIOUS"
            )
            assert.include(yield* refused(database, before), "SECRET_KEY was changed for this database")
            assert.include(
              yield* refused(database, { SECRET_KEY: third, SECRET_KEY_PREVIOUS: otherSecretKey }),
              "is not finished"
            )
            yield* running.pass("2 minutes")
            assert.include(lines.join("\n"), "no secret is encrypted with SECRET_KEY_PREVIOUS any more")
            assert.strictEqual(yield* metric(running, "coffer_secret_key_change"), 0)
            assert.isAtLeast(yield* metric(running, "coffer_secrets_resealed_total"), 5)
            assert.strictEqual((yield* sealedBy(running.sql, secretBytes)).opened, 0)
            const sealed = yield* sealedBy(running.sql, newBytes)
            assert.strictEqual(sealed.opened, sealed.all)
            for (const part of ["/whe_", "idempotency_keys/", "kept", "/stripe/secret_key", "/stripe/webhook_secret"]) {
              assert.isTrue(
                sealed.uses.some((use) => use.includes(part)),
                part
              )
            }
            assert.isBelow(new Set(sealed.uses).size, sealed.uses.length, "an old secret of the account")
            yield* keepsWorking(running, all, hook)
          })
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* keepsWorking(yield* phase(database, after, 3), all, hook)
          })
        )
        assert.include(yield* refused(database, before), "SECRET_KEY is not this database's current key")
        // Then again, to a third key.
        yield* Effect.scoped(
          Effect.gen(function* () {
            const running = yield* phase(database, { SECRET_KEY: third, SECRET_KEY_PREVIOUS: otherSecretKey }, 4)
            yield* running.pass("2 minutes")
            yield* keepsWorking(running, all, hook)
            assert.strictEqual((yield* sealedBy(running.sql, newBytes)).opened, 0)
          })
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* keepsWorking(yield* phase(database, { SECRET_KEY: third }, 5), all, hook)
          })
        )
      })
    )
  )

  it.effect("keys that are no keys, or the same, are refused by the name of the setting", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* freshDatabase
        assert.match(
          yield* refused(database, { ...before, SECRET_KEY_PREVIOUS: "short" }),
          /^SECRET_KEY_PREVIOUS must be 32 bytes, base64/
        )
        assert.match(
          yield* refused(database, { ...before, SECRET_KEY_PREVIOUS: Buffer.alloc(32).toString("base64") }),
          /^SECRET_KEY_PREVIOUS is too easy to guess/
        )
        assert.match(
          yield* refused(database, { ...before, SECRET_KEY_PREVIOUS: secretKey }),
          /^SECRET_KEY_PREVIOUS is the same as SECRET_KEY/
        )
      })
    )
  )

  it.live("right after a restart of Postgres no process is seen, so none counts as having the new key", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* freshDatabase
        yield* phase(database, before, 1)
        const doubt = Doubt.make()
        const store = yield* storeOn(database, doubt)
        assert.strictEqual(yield* store.keyIsWith, "all")
        doubt.begin()
        assert.strictEqual(yield* store.keyIsWith, "unknown")
      })
    )
  )

  it.live("a runner that is killed between two pages loses nothing: another goes on where it was", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* freshDatabase
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { api } = yield* phase(database, before, 1)
            yield* Effect.forEach(Array(110).keys(), () => api.newMerchant(), { concurrency: 4 })
          })
        )
        const now = DateTime.makeUnsafe(2 * hour)
        const sql = yield* connect(database)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const [one, two] = [yield* storeOn(database), yield* storeOn(database)]
            assert.strictEqual(yield* one.stage, "waits")
            yield* Effect.all([one.move(now), two.move(now)], { concurrency: 2 })
            const steps = yield* Effect.all([one.step(now), two.step(now)], { concurrency: 2 })
            assert.isAtMost(steps.filter(Option.isNone).length, 1)
          })
        )
        // The runner is gone, and half of the pass is done.
        assert.isAbove((yield* sealedBy(sql, newBytes)).opened, 199)
        const running = yield* phase(database, during, 2)
        yield* running.pass("2 minutes")
        assert.strictEqual((yield* sealedBy(sql, secretBytes)).opened, 0)
        const { all, opened } = yield* sealedBy(sql, newBytes)
        assert.strictEqual(opened, all)
        assert.strictEqual(yield* metric(running, "coffer_secret_key_change"), 0)
      })
    )
  )
})

/** A runner that only does what the test asks. */
const storeOn = (database: string, doubt = Doubt.make()) =>
  Effect.map(
    Layer.build(
      KeyStore.layer.pipe(
        Layer.provide([Secrets.layer, Channel.layer, Layer.succeed(Doubt.Doubt, doubt)]),
        Layer.provide(SecretCheck.layer),
        Layer.provide(Settings.layer({ embedded: false })),
        Layer.provide(DataDir.layer(tmpdir())),
        Layer.provide(Wiring.platform),
        Layer.provide(Postgres.layer({ url: Redacted.make(database), connections: 2, name: "test" })),
        Layer.provide(
          ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...during, OPERATOR_TOKEN: operatorToken } }))
        )
      )
    ),
    Context.get(KeyStore.KeyStore)
  )
