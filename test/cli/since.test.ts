/** `--since 2h` counts from what the clock of the account says: of a sandbox, its own (silences: T9). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { envOf, type } from "../kit/callers/cli.ts"
import { callerOf } from "../kit/stories/clockStory.ts"
import { faultyLine } from "../kit/faults/FaultyLine.ts"
import { receiver } from "../kit/Receiver.ts"
import { type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/cli/since") {}

/** In real time, which the command reads, too. */
const aShop = Effect.gen(function* () {
  const service = yield* Service
  const running = { ...service, merchant: yield* service.api.newMerchant() }
  return { running, ...callerOf([running.api], running.merchant.sandboxKey) }
})

const operatorEnv = ({ api, baseUrl }: Running) => ({
  COFFER_OPERATOR_TOKEN: api.operatorToken,
  COFFER_OPERATOR_URL: baseUrl
})

/** The ids that it has printed. */
const idsIn = (words: ReadonlyArray<string>, env: Record<string, string>, pattern: RegExp) =>
  Effect.map(type(words, env), ({ code, stderr, stdout }) => {
    assert.strictEqual(code, 0, stderr)
    return stdout.match(pattern) ?? []
  })

layer(Layer.effect(Service, start()), { excludeTestServices: true })("--since", (it) => {
  it.effect("leaves out of a list what is older by the sandbox's own clock", () =>
    Effect.gen(function* () {
      const { advance, order, running } = yield* aShop
      yield* order()
      yield* advance({ by: "3h" })
      const { trade_no } = yield* order()
      const listed = (since: string) => idsIn(["orders", "list", "--since", since], envOf(running), /^TRD_SB_\w+/gm)
      assert.deepStrictEqual(yield* listed("2h"), [trade_no])
      assert.lengthOf(yield* listed("4h"), 2)
      yield* advance({ by: "1d" })
      assert.lengthOf(yield* listed("today"), 0)
      assert.include(yield* listed("yesterday"), trade_no)
    })
  )

  it.effect(
    "sends again what has failed by the sandbox's own clock, with a merchant's key and an operator's token",
    () =>
      Effect.gen(function* () {
        const { advance, get, paid, running } = yield* aShop
        const hook = yield* receiver
        hook.answer(500)
        yield* paid("card", { notify_url: hook.url })
        yield* advance({ by: "9h" })
        const { data } = yield* get("/webhook_deliveries?status=failed")
        assert.lengthOf(data, 1)
        const words = ["deliveries", "resend", "--failed", "--dry-run", "--since"]
        const whose = ["--merchant", running.merchant.merchantId, "--mode", "sandbox"]
        const asMerchant = (since: string) => idsIn([...words, since], envOf(running), /^dlv_\w+/gm)
        const asOperator = (since: string) => idsIn([...words, since, ...whose], operatorEnv(running), /^dlv_\w+/gm)
        for (const found of [asMerchant, asOperator]) {
          assert.deepStrictEqual(yield* found("8h"), [])
          assert.deepStrictEqual(yield* found("10h"), [data[0].id])
        }
      }).pipe(Effect.scoped)
  )

  it.effect("leaves out of what needs attention what is older by the clock of the sandbox that an operator names", () =>
    Effect.gen(function* () {
      const { advance, paid, running } = yield* aShop
      const whose = ["--merchant", running.merchant.merchantId, "--mode", "sandbox"]
      yield* paid("card", { amount: 100_000 })
      const payout = () =>
        Effect.map(
          running.api.operator("POST", `/merchants/${running.merchant.merchantId}/payouts`, {
            mode: "sandbox",
            currency: "USD",
            amount: 100
          }),
          ({ body }): string => body.data.payout_no
        )
      const old = yield* payout()
      yield* advance({ by: "3h" })
      const young = yield* payout()
      for (const words of [["held-up"], ["payouts", "approve", "--dry-run"]]) {
        const held = (since: string) =>
          idsIn([...words, "--since", since, ...whose], operatorEnv(running), /\bpyt_\w+/g)
        assert.deepStrictEqual(yield* held("2h"), [young])
        assert.sameMembers(yield* held("4h"), [old, young])
      }
    })
  )

  it.effect("asks for no clock with a live key, nor for a moment that is given", () =>
    Effect.gen(function* () {
      const { running } = yield* aShop
      yield* running.api.operator("POST", `/merchants/${running.merchant.merchantId}`, { approved: true })
      const line = yield* faultyLine(running.baseUrl, () => {})
      const env = { ...envOf(running), COFFER_BASE_URL: line.url }
      const passed = () => line.reached.get("undefined") ?? 0
      const requests = (words: ReadonlyArray<string>, more: Record<string, string> = {}) =>
        Effect.gen(function* () {
          const before = passed()
          yield* idsIn(["orders", "list", ...words], { ...env, ...more }, /TRD_/g)
          return passed() - before
        })
      assert.strictEqual(yield* requests(["--since", "2h"]), 2)
      assert.strictEqual(yield* requests(["--since", "2h"], { COFFER_KEY: running.merchant.liveKey }), 1)
      assert.strictEqual(yield* requests(["--since", "2026-11-23T06:00:00Z"]), 1)
    }).pipe(Effect.scoped)
  )
})
