/** The simulator's own books, through random histories: what its balance says follows from what its objects say. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { testCards } from "../../packages/simulator/src/cards/cards.ts"
import { ask, begin, sessionOf } from "./kit.ts"

type World = Effect.Success<ReturnType<typeof begin>>

const Step = fc.oneof(
  fc.record({
    do: fc.constant("pay" as const),
    card: fc.constantFrom(...testCards),
    amount: fc.integer({ min: 50, max: 9_999 })
  }),
  fc.record({ do: fc.constant("refund" as const), part: fc.integer({ min: 1, max: 100 }), which: fc.nat() }),
  fc.record({ do: fc.constant("fail" as const), which: fc.nat() }),
  fc.record({ do: fc.constant("dispute" as const), which: fc.nat() }),
  fc.record({ do: fc.constant("decide" as const), which: fc.nat(), won: fc.boolean() }),
  fc.record({ do: fc.constant("wait" as const), seconds: fc.constantFrom(1, 60, 86_400, 8 * 86_400) })
)

type Steps = typeof Step extends fc.Arbitrary<infer S> ? S : never

const pick = <A>(all: ReadonlyArray<A>, which: number): A | undefined => all[which % Math.max(1, all.length)]

const take = Effect.fnUntraced(function* ({ all, control, stripe }: World, step: Steps) {
  const charges = all("charge").filter(({ paid }) => paid)
  switch (step.do) {
    case "pay": {
      const session = yield* ask(() => stripe.checkout.sessions.create(sessionOf(step.amount)))
      return yield* control.pay({ session: session.id, with: step.card.number, authorises: true })
    }
    case "refund": {
      const charge = pick(charges, step.which)
      if (charge === undefined) return
      const amount = Math.max(1, Math.floor((charge.amount * step.part) / 100))
      return yield* Effect.ignore(Effect.tryPromise(() => stripe.refunds.create({ charge: charge.id, amount })))
    }
    case "fail": {
      const refund = pick(all("refund"), step.which)
      return refund && (yield* Effect.ignore(control.fail_refund({ refund: refund.id })))
    }
    case "dispute": {
      const charge = pick(
        charges.filter(({ disputed }) => !disputed),
        step.which
      )
      return charge && (yield* control.open_dispute({ charge: charge.id }))
    }
    case "decide": {
      const dispute = pick(all("dispute"), step.which)
      const outcome = step.won ? "won" : "lost"
      return dispute && (yield* Effect.ignore(control.decide_dispute({ dispute: dispute.id, outcome })))
    }
    case "wait":
      return yield* control.advance({ seconds: step.seconds })
  }
})

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, each) => total + each, 0)

const check = ({ all }: World) => {
  const charges = all("charge").filter(({ paid }) => paid)
  const refunds = all("refund").filter(({ status }) => status !== "failed" && status !== "canceled")
  const disputes = all("dispute").filter(({ balance_transactions }) => balance_transactions.length > 0)
  const fees = sum(all("balance_transaction").map(({ fee }) => fee))
  assert.strictEqual(
    sum(all("balance_transaction").map(({ net }) => net)),
    sum(charges.map(({ amount }) => amount)) -
      sum(refunds.map(({ amount }) => amount)) -
      sum(disputes.filter(({ status }) => status !== "won").map(({ amount }) => amount)) -
      fees
  )
  for (const charge of charges) {
    const ofIt = refunds.filter((refund) => refund.charge === charge.id)
    assert.strictEqual(charge.amount_refunded, sum(ofIt.map(({ amount }) => amount)))
    assert.isAtMost(charge.amount_refunded, charge.amount)
  }
}

it.live(
  "after any history the balance is payments less refunds, disputes and fees, and no charge is refunded twice",
  () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(Step, { maxLength: 25 }), (steps) =>
          Effect.runPromise(
            Effect.scoped(
              Effect.gen(function* () {
                const world = yield* begin()
                for (const step of steps) yield* take(world, step)
                check(world)
              })
            )
          )
        ),
        { numRuns: 60 }
      )
    )
)
