/**
 * Front door to deliveries: the delivery of each event to each address, and resends (silences: W5, W11, W15). A resend
 * is a delivery of its own, so that the history of the first one is kept. The two are not posted at once (0255).
 */
import type { DeliveryQuery } from "@coffer/contract/WebhookDeliveries"
import { prefixes } from "@coffer/model/Ids"
import { webhookAcknowledgement } from "@coffer/model/Limits"
import type { Account } from "@coffer/model/Account"
import { destinationOf } from "@coffer/rules/delivery/route"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { deliveries } from "../events/eventRows.ts"
import { withAnswer, answerOf, laneOf } from "../../shared/idempotency/Answering.ts"
import { Merchants, type MerchantNotFound } from "../../access/merchants/Merchants.ts"
import { type Change, insert, NotCommitted, retryOvertaken } from "../../platform/commit/Change.ts"
import { Transactor } from "../../platform/commit/Transactor.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { MerchantClocks, unmovedTime } from "../../platform/runtime/MerchantClocks.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { type Delivery, DeliveryHistory } from "./DeliveryHistory.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { deliveryView } from "./DeliveryView.ts"

export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {
  id: Schema.String
}) {}

/** Its endpoint receives nothing now, or an attempt has not ended. */
export class DeliveryConflict extends Schema.TaggedError<DeliveryConflict>()("DeliveryConflict", {
  reason: Schema.Literals(["endpoint_deleted", "endpoint_disabled", "under_way"])
}) {}

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Without an account: of any account. */
    readonly find: (id: string, account?: Account) => Effect.Effect<Delivery, DeliveryNotFound>
    /** Newest first. */
    readonly page: (account: Account, query: DeliveryQuery) => Effect.Effect<Page<Delivery>, InvalidField>
    /** The same for the operator. */
    readonly pageOf: (
      merchantId: string,
      query: DeliveryQuery & Pick<Account, "mode">
    ) => Effect.Effect<Page<Delivery>, InvalidField | MerchantNotFound>
    /** The new delivery. */
    readonly resend: (
      id: string,
      account?: Account
    ) => Effect.Effect<Delivery, DeliveryNotFound | DeliveryConflict | NotCommitted>
  }
>()("@coffer/webhooks/Deliveries") {}

export const layer = Layer.effect(
  Deliveries,
  Effect.gen(function* () {
    const history = yield* DeliveryHistory
    const store = yield* DeliveryStore
    const merchants = yield* Merchants
    const transactor = yield* Transactor
    const ids = yield* NewIds
    const clocks = yield* MerchantClocks
    const { keep } = yield* Settings

    const find = span("Deliveries.find")(function* (id: string, account?: Account) {
      const found = yield* history.find(id, account)
      return Option.isSome(found) ? found.value : yield* new DeliveryNotFound({ id })
    })

    const page = span("Deliveries.page")(function* (account: Account, query: DeliveryQuery) {
      return yield* history.page(account, yield* Effect.fromResult(readPageRequest(query)), query)
    })

    /** The endpoint's current address, or the address of the delivery. */
    const urlOf = Effect.fnUntraced(function* ({ endpoint_id, merchant_id, mode, url }: Delivery) {
      if (endpoint_id === null) return url
      // An account with deliveries has a merchant.
      const { modes } = yield* Effect.catchTags(merchants.find(merchant_id), { MerchantNotFound: Effect.die })
      const endpoint = modes[mode].webhooks.endpoints.find(({ id }) => id === endpoint_id)
      if (endpoint === undefined) return yield* new DeliveryConflict({ reason: "endpoint_deleted" })
      if (endpoint.status === "disabled") return yield* new DeliveryConflict({ reason: "endpoint_disabled" })
      return endpoint.url
    })

    const again = Effect.fnUntraced(function* (before: Delivery) {
      const url = yield* urlOf(before)
      const now = yield* currentTime
      const isPutOff = yield* store.putOff(before.id, {
        unmoved: yield* unmovedTime,
        until: DateTime.addDuration(now, postedWithin)
      })
      if (!isPutOff) return yield* new DeliveryConflict({ reason: "under_way" })
      const delivery = resent(before, { id: yield* ids.next(prefixes.delivery), url, now })
      const change = insertion(delivery, now)
      yield* withAnswer((answer) =>
        transactor.commit(laneOf(answer) ?? delivery.id, [change, ...answerOf(answer, () => deliveryView(delivery))])
      ).pipe(
        Effect.catchTags({
          // Another request has taken the claim over.
          StaleVersion: () => new NotCommitted({ reason: "overloaded" }),
          AlreadyExists: Effect.die
        })
      )
      return delivery
    }, retryOvertaken)

    return Deliveries.of({
      find,
      page,
      pageOf: span("Deliveries.pageOf")(function* (merchantId, { mode, ...query }) {
        const { merchant_id } = yield* merchants.find(merchantId)
        return yield* page({ merchantId: merchant_id, mode }, query)
      }),
      resend: span("Deliveries.resend")(function* (id, account) {
        const before = yield* find(id, account)
        // It is dropped soon, together with its event.
        const isKept = keep.deliveries === undefined || isYounger(before, keep.deliveries, yield* unmovedTime)
        if (!isKept) return yield* new DeliveryNotFound({ id })
        // An operator's request does not run on a merchant's clock.
        return yield* clocks.within({ merchantId: before.merchant_id, mode: before.mode }, again(before))
      })
    })
  })
)

/** The automatic attempts wait for the post that was asked for: an attempt, and five seconds until it has a place. */
const postedWithin = Duration.sum(Duration.fromInputUnsafe(webhookAcknowledgement), Duration.seconds(5))

/** By real time, as rows are dropped. */
const isYounger = ({ created_at }: Delivery, kept: Duration.Duration, unmoved: DateTime.Utc) =>
  DateTime.isGreaterThan(DateTime.addDuration(created_at, kept), unmoved)

const resent = (
  before: Delivery,
  { id, now, url }: { readonly id: string; readonly url: string; readonly now: DateTime.Utc }
): Delivery => ({
  ...before,
  id,
  url,
  status: "pending",
  next_attempt_at: now,
  resend_of: before.id,
  attempts: [],
  created_at: now
})

const insertion = (delivery: Delivery, now: DateTime.Utc): Change =>
  insert(deliveries, {
    id: delivery.id,
    merchantId: delivery.merchant_id,
    mode: delivery.mode,
    createdAt: now,
    eventId: delivery.event_id,
    endpointId: delivery.endpoint_id,
    url: delivery.url,
    destination: destinationOf(delivery.url),
    status: "pending",
    attempts: 0,
    nextAttemptAt: now,
    resendOf: delivery.resend_of
  })
