/**
 * Payment links at Adyen, one for an order at a time: made, looked at, and ended (docs/decisions/0279). Adyen says of a
 * link whether it can still be paid, and not by which payment: that comes by notice.
 */
import { beginningOf } from "@coffer/model/Text"
import { isoText } from "@coffer/model/isoText"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { isManual } from "@coffer/rules/order/Hold"
import type { Order } from "@coffer/rules/order/Order"
import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { currentTime } from "../../platform/runtime/clock.ts"
import { span } from "../../platform/runtime/span.ts"
import { ChannelUnreachable } from "../../shared/channel/payments.ts"
import { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"
import { AdyenClient, readOnly } from "./AdyenClient.ts"
import { type LinkRow, LinkStore } from "./LinkStore.ts"
import { linkMethods } from "./names.ts"
import type { AdyenRefused } from "./wire.ts"

/** `Done`: the buyer has paid, or is paying with a method that takes a while. `Over`: nobody can pay in it any more. */
export type LinkStatus =
  | { readonly _tag: "Open"; readonly url: string }
  | { readonly _tag: "Done" }
  | { readonly _tag: "Over" }

const Link = Schema.Struct({ id: Schema.String, url: Schema.String, status: Schema.String })
type Link = typeof Link.Type
const decodeLink = Schema.decodeUnknownOption(Link)

const statusOf = ({ status, url }: Link): LinkStatus => {
  switch (status) {
    case "active":
      return { _tag: "Open", url }
    case "expired":
      return { _tag: "Over" }
    default:
      // `completed`, `paid`, `paymentPending`, or a status of a later version. It must not count as unpaid.
      return { _tag: "Done" }
  }
}

/** A row whose link Adyen has made. */
export interface Made extends LinkRow {
  readonly link_id: string
}
export const isMade = (row: LinkRow): row is Made => row.link_id !== null

export class Links extends Context.Service<
  Links,
  {
    /** A row for a new link; none if another request has begun one. Adyen is not asked yet. */
    readonly plan: (order: Order, method: PaymentMethod) => Effect.Effect<Option.Option<LinkRow>>
    /** Makes the link of a row; idempotent. Undefined: the row was given up meanwhile, and so is the link. */
    readonly make: (
      order: Order,
      row: LinkRow,
      language: string
    ) => Effect.Effect<LinkStatus | undefined, ChannelUnreachable | AdyenRefused>
    readonly look: (row: Made) => Effect.Effect<LinkStatus, ChannelUnreachable>
    /** Ends the link, unless it is paid or being paid. */
    readonly end: (row: Made) => Effect.Effect<LinkStatus, ChannelUnreachable>
  }
>()("@coffer/adyen/Links") {}

/** Adyen's limit of how long a link may be open, with a minute for clocks that differ. */
const openMax = Duration.sum(Duration.days(70), Duration.minutes(-1))

export const layer = Layer.effect(
  Links,
  Effect.gen(function* () {
    const client = yield* AdyenClient
    const store = yield* LinkStore
    const pages = yield* OrderLinks
    const { end, look } = makeKnown(client, store)

    const make = span("AdyenLinks.make")(function* (order: Order, row: LinkRow, language: string) {
      const call = client.call(ownerOf(row), decodeLink, ({ account }) => ({
        service: "checkout",
        method: "POST",
        path: "/paymentLinks",
        idempotencyKey: row.key,
        body: requestOf(order, row, { account, language, page: pages.signed.checkout(order) })
      }))
      const made = yield* Effect.catchTags(call, {
        AdyenSilent: () => Effect.fail(uncertain),
        AdyenRefused: (refused) => Effect.andThen(store.giveUp(row.key), Effect.fail(refused))
      })
      const opened = yield* store.opened(row.key, made.id)
      if (Option.isSome(opened)) return yield* noted(store, opened.value, statusOf(made))
      yield* Effect.ignore(expire(client, { ...row, link_id: made.id }))
      return undefined
    }, Effect.uninterruptible)

    return Links.of({
      plan: Effect.fnUntraced(function* (order, method) {
        const now = yield* currentTime
        return yield* store.insert({
          trade_no: order.tradeNo,
          merchant_id: order.merchantId,
          mode: order.mode,
          method,
          expires_at: DateTime.min(order.expiresAt, DateTime.addDuration(now, openMax)),
          created_at: now
        })
      }),
      make,
      look,
      end
    })
  })
)

const ownerOf = ({ merchant_id: merchantId, mode }: LinkRow) => ({ merchantId, mode })

/** A row that is processing stays, so that the order does not count as unpaid. */
const noted = Effect.fnUntraced(function* (store: LinkStore["Service"], row: LinkRow, status: LinkStatus) {
  if (status._tag === "Over") yield* store.ended(row.key)
  if (status._tag === "Done") yield* store.processing(row.key)
  return status
})

const expire = (client: AdyenClient["Service"], row: Made) =>
  client.call(ownerOf(row), decodeLink, () => ({
    service: "checkout",
    method: "PATCH",
    path: `/paymentLinks/${row.link_id}`,
    body: { status: "expired" }
  }))

/** Of links that Adyen has made. */
const makeKnown = (client: AdyenClient["Service"], store: LinkStore["Service"]) => {
  const look = span("AdyenLinks.look")(function* (row: Made) {
    const link = client.call(ownerOf(row), decodeLink, () => ({
      service: "checkout",
      method: "GET",
      path: `/paymentLinks/${row.link_id}`
    }))
    return yield* noted(store, row, statusOf(yield* readOnly(link)))
  })

  const end = span("AdyenLinks.end")(function* (row: Made) {
    return yield* Effect.matchEffect(expire(client, row), {
      onSuccess: (link) => noted(store, row, statusOf(link)),
      // It was paid or ended at the same moment, or there was no answer: read it.
      onFailure: (failure) =>
        failure._tag === "ChannelUnreachable"
          ? Effect.fail(failure)
          : Effect.filterOrFail(
              Effect.mapError(look(row), () => uncertain),
              ({ _tag }) => _tag !== "Open",
              () => uncertain
            )
    })
  })

  return { look, end }
}

/** Whether the link was made, or ended, is not known. */
const uncertain = new ChannelUnreachable({ because: "unknown" })

const descriptionMax = 280

/** Adyen's names of the languages of our pages. */
const localeOf = (order: Order, language: string): string => {
  const isChinese = order.locale === null ? language.startsWith("zh") : order.locale === "zh"
  if (!isChinese) return "en-US"
  return language === "zh-Hant" ? "zh-TW" : "zh-CN"
}

interface Written {
  readonly account: string
  readonly language: string
  readonly page: string
}

/** A repeat under the same key may have another language or address: Adyen answers with the first link. */
const requestOf = (order: Order, { expires_at, method }: LinkRow, { account, language, page }: Written) => ({
  merchantAccount: account,
  // Each notice about the payment names it, and the signature covers it.
  reference: order.tradeNo,
  amount: { value: order.amount, currency: order.currency },
  description: beginningOf((order.subject ?? order.outTradeNo).trim(), descriptionMax),
  allowedPaymentMethods: linkMethods[method],
  reusable: false,
  ...(isManual(order) ? { manualCapture: true } : {}),
  expiresAt: isoText(expires_at),
  shopperLocale: localeOf(order, language),
  returnUrl: `${page}?returned=1`
})
