/**
 * The mistakes of a developer's first hour, with what each is told: what is wrong, where, and what to do (spec: Errors).
 * They are in `mistakes.txt`, a paragraph each: the request, its body behind `>`, and the three. `-`: it is in no field.
 */
import { readFileSync } from "node:fs"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { type Json, merchantOf, said } from "../../kit/Merchant.ts"
import { onOneService, sharedService } from "../../kit/Service.ts"

const mistakes = readFileSync(new URL("mistakes.txt", import.meta.url), "utf8")
  .trim()
  .split("\n\n")

/** The objects that the requests name, as `{paid}`. */
const world = Effect.gen(function* () {
  const running = yield* sharedService
  const { merchant } = running
  const { dispute, paid, post, refund } = merchantOf(running)
  const order = (terms: Json) => said(post("/v1/orders", terms))
  const pending = yield* order({ amount: 1999, out_trade_no: "cart-1" })
  const expired = yield* order({ amount: 1999 })
  yield* said(post(`/v1/orders/${expired["trade_no"]}/expire`))
  // The wallet covers the fees of the refunds.
  yield* paid(100_000)
  const whole = yield* paid(5000)
  const refunded = yield* paid(2000)
  const itsRefund = yield* said(refund({ trade_no: refunded["trade_no"], out_refund_no: "r-1" }))
  const disputed = yield* paid(3000)
  const itsDispute = yield* said(dispute(disputed["trade_no"]))
  yield* said(post("/v1/orders", { amount: 5 }, { "Idempotency-Key": "same" }))
  const names: Readonly<Record<string, string>> = {
    key: merchant.sandboxKey,
    liveKey: merchant.liveKey,
    paid: whole["trade_no"],
    live: String(whole["trade_no"]).replace("_SB_", "_"),
    paidAt: whole["paid_at"],
    pending: pending["trade_no"],
    pendingAt: pending["created_at"],
    expired: expired["trade_no"],
    refunded: refunded["trade_no"],
    refundedAt: refunded["paid_at"],
    refund: itsRefund["refund_no"],
    disputed: disputed["trade_no"],
    disputedAt: disputed["paid_at"],
    dispute: itsDispute["dispute_no"]
  }
  return (text: string) => text.replaceAll(/\{(\w+)\}/g, (all, name: string) => names[name] ?? all)
})

onOneService((it) => {
  describe("a developer's mistake", () => {
    it.effect(
      "is told by what is wrong, where, and what to do",
      () =>
        Effect.gen(function* () {
          const { api, merchant } = yield* sharedService
          const filled = yield* world
          const key = filled("{key}")
          assert.isAbove(mistakes.length, 106)
          for (const mistake of mistakes) {
            const [line = "", ...rest] = filled(mistake).split("\n")
            const [method = "", path = ""] = line.split(/ (.*)/)
            const parts = rest.map((each) => [each.slice(0, each.search(/[:>]/)), each.slice(each.search(/[:>]/) + 1)])
            const named = (name: string) => parts.find(([each]) => each === name)?.[1]?.trim()
            const headers = Object.fromEntries(parts.filter(([name = ""]) => /^[A-Z]/.test(name)))
            const { "X-Api-Key": own = key, ...others } = headers
            const body = rest
              .find((each) => each.startsWith("> "))
              ?.slice(2)
              .replaceAll("␊", "\n")
            const reply = yield* api.call(method, path, {
              headers: Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value).trim()])),
              ...(own.trim() === "" ? {} : { key: own.trim() }),
              ...(body === undefined ? {} : { raw: body })
            })
            assert.isAtLeast(reply.status, 400, mistake)
            const { message, param } = reply.body
            const where = named("where")!
            if (where.startsWith("at ")) assert.include(message, where, mistake)
            else assert.strictEqual(param ?? "-", where, mistake)
            assert.include(message, named("what"), mistake)
            assert.include(message, named("do"), mistake)
            assert.notMatch(message, /\bExpected\b|\| null|undefined is/, mistake)
          }
          assert.isNotEmpty(merchant.merchantId)
        }),
      120_000
    )
  })
})
