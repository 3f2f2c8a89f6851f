/** A sealed secret opens in its own row and nowhere else; older ones are encrypted again. */
import { createCipheriv, hkdfSync, randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as NewIds from "../../../src/platform/runtime/NewIds.ts"
import * as Secrets from "../../../src/platform/runtime/Secrets.ts"
import * as Merchants from "../../../src/access/merchants/Merchants.ts"

import * as MerchantStore from "../../../src/access/merchants/MerchantStore.ts"

import { eventually } from "../../kit/Process.ts"
import { type Running, secretBytes, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/sealedSecrets") {}

/** As it was sealed once, with the secret of the tests' service. */
const sealedUnbound = (plain: string) => {
  const key = Buffer.from(hkdfSync("sha256", secretBytes, "", "coffer/webhook-secrets", 32))
  const iv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, iv)
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()])
  return ["1", ...[iv, cipher.getAuthTag(), sealed].map((part) => part.toString("base64url"))].join(".")
}

const rowsOf = ({ api, sql }: Running) => {
  const sealed = (merchantId: string, mode: string) =>
    Effect.map(
      sql<{ text: string }>`select signing->>'current' as text from webhook_settings
        where merchant_id = ${merchantId} and mode = ${mode}`,
      ([row]) => row!.text
    )
  const put = (merchantId: string, mode: string, text: string) =>
    sql`update webhook_settings set signing = jsonb_set(signing, '{current}', to_jsonb(${text}::text))
      where merchant_id = ${merchantId} and mode = ${mode}`
  const shown = (merchantId: string, mode = "sandbox") =>
    Effect.map(api.operator("GET", `/merchants/${merchantId}/signing_secret/${mode}`), ({ body, status }) =>
      status === 200 ? String(body.data.secret) : status
    )
  return { sealed, put, shown }
}

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a sealed secret", (it) => {
  it.effect("that was copied to another merchant or environment does not open there", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const { put, sealed, shown } = rowsOf(running)
      const [ours, theirs] = [yield* running.api.newMerchant(), yield* running.api.newMerchant()]
      const secret = yield* shown(ours.merchantId)
      const text = yield* sealed(ours.merchantId, "sandbox")
      for (const [merchantId, mode] of [
        [theirs.merchantId, "sandbox"],
        [ours.merchantId, "live"]
      ] as const) {
        const before = yield* shown(merchantId, mode)
        yield* put(merchantId, mode, text)
        yield* eventually(
          "the word of the change",
          Effect.map(shown(merchantId, mode), (now) => now !== before)
        )
        assert.strictEqual(yield* shown(merchantId, mode), 500)
      }
      assert.strictEqual(yield* shown(ours.merchantId), secret)
    })
  )

  it.effect("of the older form, bound to no row, opens, and is bound at the next start", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const { put, sealed, shown } = rowsOf(running)
      const { merchantId } = yield* running.api.newMerchant()
      yield* put(merchantId, "sandbox", sealedUnbound("whsec_old"))
      const isOld = Effect.map(shown(merchantId), (secret) => secret === "whsec_old")
      yield* eventually("the old secret", isOld)
      // A secret that no key of ours opens stays as it is, and stops nothing.
      yield* put(merchantId, "live", `1.${"A".repeat(16)}.${"A".repeat(22)}.AAAA`)

      yield* Layer.build(
        Merchants.layer.pipe(
          Layer.provide(MerchantStore.layer),
          Layer.provide(Layer.mergeAll(NewIds.layer, Secrets.layer)),
          Layer.provide(Layer.succeedContext(running.context))
        )
      )
      yield* eventually(
        "the secret to be bound",
        Effect.map(sealed(merchantId, "sandbox"), (text) => text.startsWith("2."))
      )
      yield* running.sql`select pg_notify(${MerchantStore.changedChannel}, '')`
      assert.isTrue(yield* isOld)
      assert.match(yield* sealed(merchantId, "live"), /^1\./)
    })
  )
})
