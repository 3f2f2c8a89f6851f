/**
 * Money that goes back through Stripe: merchants' refunds, and whole unapplied payments. Our number is in the
 * idempotency key at Stripe, and in its metadata: Stripe forgets a key after a day, so an earlier refund is looked for
 * first.
 */
import { isoText } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { PaymentId, RefundNo } from "@coffer/model/Ids"
import type { Minor } from "@coffer/model/Money"
import { Context, type DateTime, Effect, Layer, Schema, Option } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { Stripe } from "stripe"
import type { RegisteredChannel } from "../../shared/channel/Channel.ts"
import {
  ChannelUnreachable,
  type Checkout,
  type RefundAnswer,
  type RefundRequest,
  type ReturnAnswer
} from "../../shared/channel/payments.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { span } from "../../platform/runtime/span.ts"
import { StripeClient } from "./StripeClient.ts"
import { isForGood, reasonOf, refuseForNow, type StripeFailure, type StripeRefused } from "./StripeGuard.ts"

/**
 * Idempotency keys of calls that Stripe may refuse for a while (`stripe_call_keys`, migration 0196). Stripe keeps a
 * refusal for its key for a day, so the next call after an answered refusal has a new key. A call without an answer
 * keeps its key: its outcome is unknown.
 */
export class CallKeys extends Context.Service<
  CallKeys,
  {
    /**
     * Calls with the current key of `name`. `isSpent`: Stripe repeats this failure for the key for a day, and a call
     * with another key does nothing twice.
     */
    readonly using: <A, E>(
      name: string,
      isSpent: (failure: E) => boolean,
      ask: (key: string) => Effect.Effect<A, E>
    ) => Effect.Effect<A, E>
    /** Removes keys that were counted up before then and that Stripe has forgotten, at most `limit`. */
    readonly drop: (before: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("@coffer/stripe/CallKeys") {}

const Named = Schema.Struct({ name: Schema.String })

export const layerKeys = Layer.effect(
  CallKeys,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const find = SqlSchema.findOneOption({
      Request: Named,
      Result: Schema.Struct({ number: Schema.Int }),
      execute: ({ name }) => sql`select number from stripe_call_keys where name = ${name}`
    })
    const numberOf = (name: string) =>
      Effect.map(sqlDefects(find({ name })), (row) => (row._tag === "Some" ? row.value.number : 1))

    /** The second of two concurrent calls with one key does not count. */
    const countUp = Effect.fnUntraced(function* (name: string, number: number) {
      const now = isoText(yield* currentTime)
      const write = sqlDefects(sql`insert into stripe_call_keys (name, number, counted_at)
        values (${name}, ${number + 1}, ${now}::text::timestamptz)
        on conflict (name) do update set number = excluded.number, counted_at = excluded.counted_at
          where stripe_call_keys.number < excluded.number`)
      yield* faults.around("Store.write", write, () => "stripe_call_keys")
    })

    return CallKeys.of({
      using: (name, isSpent, ask) =>
        Effect.flatMap(numberOf(name), (number) =>
          Effect.tapError(ask(number === 1 ? name : `${name}/${number}`), (failure) =>
            isSpent(failure) ? countUp(name, number) : Effect.void
          )
        ),
      drop: (before, limit) =>
        sqlDefects(
          Effect.map(
            sql`delete from stripe_call_keys where name in (select name from stripe_call_keys
              where counted_at < ${isoText(before)}::text::timestamptz limit ${limit}) returning 1`,
            ({ length }) => length
          )
        )
    })
  })
)

const refundNoKey = "coffer_refund_no"

/** The key of metadata that says which payment a refund gives back as a whole. */
const returnKey = "coffer_return"

/** Refunds of one payment that are searched, newest first. */
const pageMax = 100
const pagesMax = 10

type Payment = Pick<Account, "merchantId" | "mode"> & { readonly paymentId: PaymentId }

/** The refund of a payment whose metadata has this text under this key, if Stripe has made it. */
export const findRefund = (client: StripeClient["Service"]) =>
  Effect.fnUntraced(
    function* (payment: Payment, key: string, text: string) {
      let after: string | undefined
      for (let page = 0; page < pagesMax; page++) {
        const listed = yield* client.read(payment, (stripe) =>
          stripe.refunds.list({
            payment_intent: payment.paymentId,
            limit: pageMax,
            ...(after === undefined ? {} : { starting_after: after })
          })
        )
        const found = listed.data.find(({ metadata }) => metadata?.[key] === text)
        if (found !== undefined) return found
        after = listed.data.at(-1)?.id
        if (!listed.has_more || after === undefined) return undefined
      }
      return undefined
    },
    // Perhaps a key of another account: it does not prove that the refund does not exist.
    Effect.catchTags({ StripeRefused: (refused) => Effect.fail(refuseForNow(refused)) })
  )

export const makeStripeRefunds = Effect.gen(function* () {
  const client = yield* StripeClient
  const keys = yield* CallKeys
  const known = findRefund(client)

  const refund = span("StripeRefunds.refund")(function* (request: RefundRequest) {
    const { amount, paymentId, refundNo } = request
    const before = yield* known(request, refundNoKey, refundNo)
    if (before !== undefined) return answerOf(before)
    const call = keys.using(`coffer/refund/${refundNo}`, isPassing, (idempotencyKey) =>
      client.call(request, (stripe) =>
        stripe.refunds.create(
          { payment_intent: paymentId, amount, metadata: { [refundNoKey]: refundNo } },
          { idempotencyKey }
        )
      )
    )
    return yield* Effect.catchTags(Effect.map(call, answerOf), {
      // The outcome is unknown, so the refund is looked for again, and then found or requested with the same key.
      StripeSilent: () => Effect.succeed<RefundAnswer>({ _tag: "Pending" }),
      StripeRefused: (refused) =>
        isForGood(refused)
          ? Effect.succeed<RefundAnswer>({ _tag: "Refused", reason: reasonOf(refused) })
          : Effect.fail(refuseForNow(refused))
    })
  })

  const giveBack = span("StripeChannel.giveBack")(function* (
    checkout: Checkout,
    { amount, paymentId }: { readonly paymentId: PaymentId; readonly amount: Minor }
  ) {
    const before = yield* known({ ...checkout, paymentId }, returnKey, paymentId)
    if (before !== undefined) return returnAnswerOf(before)
    const call = keys.using(`coffer/return/${paymentId}`, isKept, (idempotencyKey) =>
      client.call(checkout, (stripe) =>
        stripe.refunds.create(
          { payment_intent: paymentId, amount, metadata: { [returnKey]: paymentId } },
          { idempotencyKey }
        )
      )
    )
    return yield* Effect.catchTags(Effect.map(call, returnAnswerOf), {
      // The caller retries. A whole payment is refunded only once, whatever the first call did.
      StripeSilent: () => Effect.fail(new ChannelUnreachable({ because: "unknown" })),
      StripeRefused: (refused) => {
        if (isBack(refused)) return Effect.succeed(returned)
        if (!isForGood(refused)) return Effect.fail(refuseForNow(refused))
        return Effect.succeed<ReturnAnswer>({ _tag: "Refused", reason: reasonOf(refused) })
      }
    })
  })

  return { refund, giveBack } satisfies Pick<RegisteredChannel, "refund" | "giveBack">
})

const isPassing = (failure: StripeFailure) => failure._tag === "StripeRefused" && !isForGood(failure)

export const answerOf = ({ failure_reason, status }: Stripe.Refund): RefundAnswer => {
  switch (status) {
    case "succeeded":
      return { _tag: "Succeeded" }
    case "failed":
    case "canceled":
      return { _tag: "Refused", reason: failure_reason ?? status }
    default:
      return { _tag: "Pending" }
  }
}

const isRefundNo = Schema.is(RefundNo)

/** The number of our refund; none for a refund that was made elsewhere, such as in Stripe's dashboard. */
export const refundNoOf = ({ metadata }: Pick<Stripe.Refund, "metadata">): Option.Option<RefundNo> => {
  const text = metadata?.[refundNoKey]
  return isRefundNo(text) ? Option.some(text) : Option.none()
}

const isPaymentId = Schema.is(PaymentId)

/** The payment that this refund returns as a whole; none for a merchant's refund. */
export const returnedPaymentIn = ({ metadata }: Stripe.Refund): Option.Option<PaymentId> => {
  const text = metadata?.[returnKey]
  return isPaymentId(text) ? Option.some(text) : Option.none()
}

const returned: ReturnAnswer = { _tag: "Taken" }

/** The bank may have sent it back before we knew that it was made. */
const returnAnswerOf = (refund: Stripe.Refund): ReturnAnswer => {
  const answer = answerOf(refund)
  return answer._tag === "Refused" ? answer : returned
}

/**
 * Stripe repeats this failure for the key. A payment is returned as a whole at most once, whatever the earlier call
 * did.
 */
const isKept = (failure: StripeFailure) =>
  (failure._tag === "StripeRefused" && !isForGood(failure)) || (failure._tag === "StripeSilent" && failure.wasAnswered)

const isBack = ({ code }: StripeRefused) => code === "charge_already_refunded"
