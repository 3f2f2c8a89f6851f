/**
 * The routes of payment links, for buyers: each visit makes an order and leads to its checkout (spec: Payment link;
 * silences: L4, L5). Link previewers get a page, and no order is made. The button of that page is a visit.
 */
import { linkVisitsMax } from "@coffer/model/Limits"
import { closedBy, type PaymentLink, repeatOf, VisitNo } from "@coffer/rules/link/PaymentLink"
import { isUntouched } from "@coffer/rules/order/attempts"
import { Effect, type Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as PublicAdmission from "../edge/PublicAdmission.ts"
import type { Admission } from "../../shared/http/Admission.ts"
import { CurrentRecord, isShownAt } from "../../shared/http/CurrentRequest.ts"
import { LinkNotFound, Links, type Visited } from "../../money/links/Links.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { Orders } from "../../money/orders/Orders.ts"
import { isDatabaseTrouble } from "../../platform/postgres/trouble.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"
import { type LinkPage, renderLink } from "./LinkPage.ts"
import { headersIn, respondWith } from "../../shared/pages/respond.ts"
import { findShop } from "./findShop.ts"
import { choiceOf, languageFor } from "./frame.ts"
import { looksAhead } from "./looksAhead.ts"
import { readFormOf } from "./readForm.ts"
import { checkoutHeaders as headers, headersFor } from "./script.ts"

const path = "/pay/:link_id"

/** Checks by type that all requirements and errors are covered: an error left out does not compile. */
type Routes = Layer.Layer<
  never,
  never,
  | HttpRouter.HttpRouter
  | Admission
  | OrderLinks
  | Orders
  | Links
  | MerchantClocks
  | Merchants
  | NewIds
  | PublicAdmission.VisitorQuota
  | Settings
>

export const layer: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const links = yield* Links
    const orders = yield* Orders
    const checkouts = yield* OrderLinks
    const merchants = yield* Merchants
    const clocks = yield* MerchantClocks
    const ids = yield* NewIds
    const isSecure = (yield* Settings).publicUrl.startsWith("https:")
    const take = yield* PublicAdmission.makeOfVisitors
    const through = yield* PublicAdmission.makePage

    const respond = Effect.fnUntraced(function* (
      page: LinkPage,
      status = 200,
      more: Readonly<Record<string, string>> = {}
    ) {
      const { chosen, language } = languageFor(yield* HttpServerRequest.HttpServerRequest, null)
      const context = { chosen, language, ...(yield* findShop(merchants, page.link)) }
      return respondWith(renderLink(page, context), status, {
        ...headersFor(context.shop),
        ...headersIn(language),
        ...more
      })
    })

    const unreachable = (link?: PaymentLink, visitNo?: string) =>
      respond({ _tag: "Unreachable", ...presentOf({ link, visitNo }) }, 503, { "retry-after": "1" })

    const leadTo = makeLeadTo(checkouts)
    const repeatable = makeRepeatable(orders)

    const follow = Effect.fnUntraced(
      function* (link: PaymentLink, visitNo: string | undefined) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { isRepeat, number } = yield* repeatable(link, visitNo)
        if (!isRepeat) {
          const { allowed, retryAfterMillis } = yield* take("visits", linkVisitsMax)
          if (!allowed) {
            const seconds = String(Math.max(1, Math.ceil(retryAfterMillis / 1_000)))
            return yield* respond({ _tag: "TooOften", ...presentOf({ link, visitNo }) }, 429, {
              "retry-after": seconds
            })
          }
        }
        return leadTo(link, yield* links.visit(link, number), request)
      },
      (effect, link, visitNo) =>
        Effect.catchTags(effect, {
          LinkClosed: ({ reason }) => respond({ _tag: "Closed", link, reason }),
          InvalidField: () => respond({ _tag: "Closed", link, reason: "unavailable" }),
          NotCommitted: () => unreachable(link, visitNo),
          OwnerUnavailable: () => unreachable(link, visitNo)
        })
    )

    const preview = Effect.fnUntraced(function* (link: PaymentLink) {
      const reason = closedBy(link, yield* currentTime)
      return yield* reason === undefined
        ? Effect.flatMap(ids.body, (visitNo) => respond({ _tag: "Preview", link, visitNo }))
        : respond({ _tag: "Closed", link, reason })
    })

    /** The link of the address. */
    const opened = Effect.gen(function* () {
      const { link_id: linkId = "" } = yield* HttpRouter.params
      const link = yield* links.byId(linkId)
      return isShownAt(yield* CurrentRecord, link.merchantId) ? link : yield* new LinkNotFound({ linkId })
    })

    const visit = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const isPressed = request.method === "POST"
      const visitNo = isPressed ? Option.getOrUndefined(yield* readVisitForm)?.visit_no : undefined
      const page = Effect.flatMap(opened, (link) => {
        const isAhead = !isPressed && looksAhead(request, { isSecure, isLimited: link.maxUses !== null })
        return clocks.within(link, isAhead ? preview(link) : follow(link, visitNo))
      })
      return yield* Effect.catchDefect(page, (defect) =>
        isDatabaseTrouble(defect) ? unreachable(undefined, visitNo) : Effect.die(defect)
      )
    }).pipe(
      Effect.catchTags({ LinkNotFound: () => respond({ _tag: "Closed", reason: "unknown" }) }),
      Effect.withSpan("links.visit")
    )

    for (const method of ["GET", "POST"] as const) yield* router.add(method, path, through(visit, unreachable()))
  })
)

/** The number of the button's visit if it has made its order already, unless a buyer has acted in that order since. */
const makeRepeatable = (orders: Orders["Service"]) =>
  Effect.fnUntraced(function* (link: PaymentLink, visitNo: string | undefined) {
    const made = visitNo === undefined ? undefined : repeatOf(link, { at: yield* currentTime, visitNo })
    if (made === undefined) return { isRepeat: false, number: visitNo }
    const order = Option.getOrUndefined(yield* Effect.option(orders.byTradeNo(made.tradeNo)))
    const isRepeat = order !== undefined && isUntouched(order)
    return { isRepeat, number: isRepeat ? visitNo : undefined }
  })

/** The address has no host, so that the buyer stays on the one that brought the page. A proxy may add to a path. */
const makeLeadTo =
  (checkouts: OrderLinks["Service"]) =>
  ({ merchantId }: PaymentLink, { expiresAt, tradeNo }: Visited, request: HttpServerRequest.HttpServerRequest) => {
    const { pathname } = new URL(checkouts.signed.checkout({ expiresAt, merchantId, tradeNo }))
    return HttpServerResponse.redirect(pathname + choiceOf(languageFor(request, null)), { status: 303, headers })
  }

const readVisitForm = readFormOf(Schema.Struct({ visit_no: VisitNo }))

/** Drops undefined fields. */
const presentOf = ({
  link,
  visitNo
}: {
  readonly link?: PaymentLink | undefined
  readonly visitNo?: string | undefined
}) => ({
  ...(link === undefined ? {} : { link }),
  ...(visitNo === undefined ? {} : { visitNo })
})
