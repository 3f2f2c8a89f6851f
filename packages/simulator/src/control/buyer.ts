/** The buyer's actions on a session's page. */
import { Effect, Result, Schema } from "effect"
import type Stripe from "stripe"
import { payInSession } from "../acts/checkout.ts"
import { aYearAhead, makeCard, makeWallet } from "../acts/methods.ts"
import { authenticate } from "../acts/pay.ts"
import { cardOfName, cardOfNumber } from "../cards/cards.ts"
import type { Wallet } from "../objects/paymentMethod.ts"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"
import { command, type Parts, refuse, there } from "./Command.ts"

/** The declarations of what follows name its types. */
export type { Stripe }

const Pay = Schema.Struct({
  session: Schema.String,
  /** A test card's number, a name such as `pm_card_visa`, `alipay` or `wechat_pay`; default: a Visa that pays. */
  with: Schema.optionalKey(Schema.String),
  /** Whether the buyer authorises at the bank or the wallet; omitted: the buyer is still there. */
  authorises: Schema.optionalKey(Schema.Boolean),
  /** Seconds that the payment stays `processing`. */
  processing: Schema.optionalKey(Schema.Int),
  /** The buyer's own currency, if the session allows the choice, and the amount in it. */
  presented: Schema.optionalKey(Schema.Struct({ currency: Schema.String, amount: Schema.Int })),
  email: Schema.optionalKey(Schema.String)
})

export const buyerCommands = ({ world }: Parts) => ({
  pay: command(Pay, (input) =>
    Effect.gen(function* () {
      const [book, session] = yield* there(world, "checkout.session", input.session)
      const method = yield* methodOf(world, book, input.with ?? "pm_card_visa", input.email ?? null)
      const begun = payInSession(world, book, session, {
        method,
        processing: input.processing ?? 0,
        presented: input.presented && {
          presentment_amount: input.presented.amount,
          presentment_currency: input.presented.currency
        }
      })
      if (Result.isFailure(begun)) return yield* refuse(`This session cannot be paid: ${begun.failure}.`)
      const waits = begun.success.status === "requires_action" && input.authorises !== undefined
      const intent = waits
        ? authenticate(world, book, begun.success, {
            succeeds: input.authorises!,
            ...(input.processing !== undefined && { processing: input.processing })
          })
        : begun.success
      return { session: book.get("checkout.session", session.id)!, payment_intent: intent }
    })
  ),
  authorise: command(
    Schema.Struct({ payment_intent: Schema.String, succeeds: Schema.Boolean }),
    ({ payment_intent: id, succeeds }) =>
      Effect.gen(function* () {
        const [book, intent] = yield* there(world, "payment_intent", id)
        if (intent.status !== "requires_action") return yield* refuse(`${id} is ${intent.status}: no buyer is asked.`)
        return authenticate(world, book, intent, { succeeds })
      })
  )
})

const methodOf = (world: World, book: Book, name: string, email: string | null) => {
  const billing = { email }
  if (name === "alipay" || name === "wechat_pay") {
    return Effect.succeed(makeWallet(world, book, name satisfies Wallet, { billing }))
  }
  const card = cardOfName(name) ?? cardOfNumber(name)
  if (card === undefined) return refuse(`${name} is no test card.`)
  return Effect.succeed(makeCard(world, book, card, aYearAhead(world), { billing }))
}
