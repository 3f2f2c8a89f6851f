/**
 * What is asked of Adyen about a payment: refunds, whole payments that go back, captures and the end of holds. Adyen
 * takes a request at once, and its notices tell the outcome later, which may still turn from good to bad and never back
 * (docs/decisions/0279).
 */
import type { PaymentId } from "@coffer/model/Ids"
import { DateTime, Effect, Schema } from "effect"
import { currentTime } from "../../platform/runtime/clock.ts"
import { ChannelUnreachable } from "../../shared/channel/payments.ts"
import type { AdyenAccount, OneAccount } from "./account.ts"
import { AdyenClient, type Request } from "./AdyenClient.ts"
import { type ModificationRow, ModificationStore } from "./ModificationStore.ts"
import { type NoticeRow, NoticeStore } from "./NoticeStore.ts"
import type { AdyenRefused } from "./wire.ts"

/** What a notice of this code says of a modification that it succeeds, and that it does not. */
const codes: Readonly<Record<string, readonly ["succeeded" | "failed", "failed"]>> = {
  REFUND: ["succeeded", "failed"],
  CANCEL_OR_REFUND: ["succeeded", "failed"],
  CANCELLATION: ["succeeded", "failed"],
  CAPTURE: ["succeeded", "failed"],
  CAPTURE_FAILED: ["failed", "failed"],
  REFUND_FAILED: ["failed", "failed"],
  REFUNDED_REVERSED: ["failed", "failed"]
}
export const isOfModification = (code: string): boolean => Object.hasOwn(codes, code)

export interface Outcome {
  readonly outcome: "succeeded" | "failed"
  readonly reason: string
}

/** The outcome that notices tell, in whatever order they came: a failure is the last word. */
export const outcomeIn = (notices: ReadonlyArray<NoticeRow>): Outcome | undefined => {
  const outcomes = notices.flatMap(({ code, reason, succeeded }) => {
    const outcome = codes[code]?.[succeeded ? 0 : 1]
    return outcome === undefined ? [] : [{ outcome, reason: reason ?? code.toLowerCase() }]
  })
  return outcomes.find(({ outcome }) => outcome === "failed") ?? outcomes[0]
}

/** The notices about a modification: by Adyen's number of it, and by our reference. */
export const noticesOf = Effect.fnUntraced(function* (
  notices: NoticeStore["Service"],
  account: OneAccount,
  { psp_reference, reference }: Pick<ModificationRow, "psp_reference" | "reference">
) {
  const named = yield* notices.named(account, reference)
  return psp_reference === null ? named : [...named, ...(yield* notices.about(account, psp_reference))]
})

const decodeTaken = Schema.decodeUnknownOption(Schema.Struct({ pspReference: Schema.String }))

/** Adyen keeps an idempotency key for seven days at least. A later repeat might move money twice. */
const keyLives = { days: 6 }

export const makeModifying = Effect.gen(function* () {
  const client = yield* AdyenClient
  const notices = yield* NoticeStore
  const store = yield* ModificationStore

  /** What is known of a modification; Adyen is asked if it is not known to have taken it. */
  return Effect.fnUntraced(function* (
    account: OneAccount,
    paymentId: PaymentId,
    reference: string,
    ask: (own: AdyenAccount) => Pick<Request, "path" | "body">
  ) {
    const now = yield* currentTime
    const row = yield* store.begin(account, paymentId, reference, now)
    const outcome = outcomeIn(yield* noticesOf(notices, account, row))
    if (outcome !== undefined) return outcome
    if (row.psp_reference !== null) return "taken"
    if (DateTime.isLessThan(DateTime.add(row.asked_at, keyLives), now)) {
      yield* Effect.logError("Adyen's answer to a modification is lost; its report will tell").pipe(
        Effect.annotateLogs({ merchant_id: account.merchantId, mode: account.mode, reference })
      )
      return "unknown"
    }
    return yield* client
      .call(account, decodeTaken, (own) => ({
        service: "checkout",
        method: "POST",
        idempotencyKey: row.key,
        ...ask(own)
      }))
      .pipe(
        Effect.tap(({ pspReference }) => store.taken(row.key, pspReference)),
        Effect.as("taken" as const),
        // It is asked for again with the same key, and gets the same answer.
        Effect.catchTags({
          AdyenSilent: () => Effect.succeed("unknown" as const),
          AdyenRefused: (refused) =>
            isForGood(refused)
              ? Effect.succeed<Outcome>({ outcome: "failed", reason: refused.message })
              : Effect.fail(new ChannelUnreachable({ because: "refused", channelWords: refused.message }))
        })
      )
  })
})

/** What Adyen understood and does not do. Other refusals may pass, such as those of a key of another account. */
const isForGood = ({ status }: AdyenRefused): boolean => status === 422
