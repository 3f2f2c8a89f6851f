/**
 * The same random business over HTTP, on the running service and its Postgres: every answer and every balance is what
 * the accountant's model says, the laws of the ledger hold after each step, and the process ends now and then.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import type { Reply } from "../kit/Api.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { memoryChannel } from "../kit/stories/memoryChannel.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { seeded } from "../kit/Process.ts"
import { freshDatabase, type Options, start } from "../kit/Service.ts"
import { rounds } from "../kit/run/soak.ts"
import { Model, payoutFee, type Step, stepOf } from "./model.ts"

const steps = rounds(100, 200)
const seeds = rounds(1, 3)

/** Which channel moves the money, beside nothing for the sandbox's own bank. */
const channels = [
  { through: "the sandbox's bank", options: () => ({}) },
  { through: "a channel in memory", options: () => ({ channels: memoryChannel() }) }
]

/** One merchant on a service that can be ended and begun again on its database. */
const begun = Effect.fnUntraced(function* (options: Pick<Options, "channels">) {
  const database = yield* freshDatabase
  const scope = yield* Effect.scope
  const begin = Effect.gen(function* () {
    const life = yield* Scope.fork(scope)
    return { life, service: yield* Scope.provide(start({ clock: "test", database, ...options }), life) }
  })
  let { life, service } = yield* begin
  const { merchant } = service
  yield* service.api.operator("POST", `/merchants/${merchant.merchantId}`, { payout_fee: { USD: payoutFee } })
  const names = {
    order: [] as Array<string>,
    refund: [] as Array<string>,
    dispute: [] as Array<string>,
    payout: [] as Array<string>
  }

  const noted = (kind: keyof typeof names, field: string, call: Effect.Effect<Reply>) =>
    Effect.tap(call, ({ body, status }) =>
      Effect.sync(() => {
        if (status < 300) names[kind].push(body.data[field])
      })
    )

  const perform = (step: Step): Effect.Effect<Reply, unknown> => {
    const { post } = merchantOf(service, merchant.sandboxKey)
    const operator = (path: string, body?: object) => service.api.operator("POST", path, body)
    switch (step.do) {
      case "create":
        return noted("order", "trade_no", post("/v1/orders", { amount: step.amount }))
      case "pay":
        return post(`/v1/test_helpers/orders/${names.order[step.order]}/pay`, { payment_method: step.method })
      case "expire":
        return post(`/v1/orders/${names.order[step.order]}/expire`)
      case "refund": {
        const amount = step.amount === undefined ? {} : { amount: step.amount }
        return noted("refund", "refund_no", post("/v1/refunds", { trade_no: names.order[step.order], ...amount }))
      }
      case "settle":
        return post(`/v1/test_helpers/refunds/${names.refund[step.refund]}/settle`, { outcome: step.outcome })
      case "dispute":
        return noted(
          "dispute",
          "dispute_no",
          post(`/v1/test_helpers/orders/${names.order[step.order]}/dispute`, { amount: step.amount })
        )
      case "resolve":
        return post(`/v1/test_helpers/disputes/${names.dispute[step.dispute]}/resolve`, { outcome: step.outcome })
      case "payout": {
        const body = { mode: "sandbox", currency: "USD", amount: step.amount }
        return noted("payout", "payout_no", operator(`/merchants/${merchant.merchantId}/payouts`, body))
      }
      case "review":
        return operator(`/payouts/${names.payout[step.payout]}/${step.step}`)
      case "reload":
        return Effect.gen(function* () {
          yield* Scope.close(life, Exit.void)
          ;({ life, service } = yield* begin)
          return yield* merchantOf(service, merchant.sandboxKey).get("/v1/balance")
        }).pipe(Effect.provideService(Scope.Scope, scope))
    }
  }

  return {
    perform,
    shop: () => merchantOf(service, merchant.sandboxKey),
    order: (index: number) => names.order[index]!,
    laws: Effect.suspend(() => assertLedgerWhole(service.sql))
  }
})

describe.each(channels)("the running service, through $through", ({ options }) => {
  for (let seed = 1; seed <= seeds; seed++) {
    it.live(`answers and books ${steps} steps of a random business as the model does (seed ${seed})`, () =>
      Effect.gen(function* () {
        const draw = seeded(seed)
        const model = new Model()
        const real = yield* begun(options())
        const history: Array<Step> = []
        for (let count = 0; count < steps; count++) {
          const number = () => draw(2 ** 30)
          const step = stepOf(model, [number(), number(), number(), number()])
          history.push(step)
          const expected = model.take(step)
          const reply = yield* real.perform(step)
          const where = () => `${reply.text} after ${history.length} steps, the last ${Object.values(step).join(" ")}`
          assert.strictEqual(reply.status, expected, where())
          assert.deepStrictEqual(yield* real.shop().balance(), model.books, where())
          if ("order" in step) {
            const { refunded_amount, status } = yield* real.shop().order(real.order(step.order))
            assert.deepStrictEqual([status, refunded_amount], [...model.shown(step.order)], where())
          }
          yield* real.laws
        }
      })
    )
  }
})
