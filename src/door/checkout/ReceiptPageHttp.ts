/** The route of receipts, for each holder of the signed address (spec: Order, receipt_url). */
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { Effect, type Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import * as PublicAdmission from "../edge/PublicAdmission.ts"
import type { Admission } from "../../shared/http/Admission.ts"
import { CurrentRecord, isShownAt } from "../../shared/http/CurrentRequest.ts"
import { headersIn, respondWith } from "../../shared/pages/respond.ts"
import type { Shop } from "../../shared/pages/shop.ts"
import { isDatabaseTrouble } from "../../platform/postgres/trouble.ts"
import { NoReceipt, Receipts } from "../../money/receipts/Receipts.ts"
import { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"
import { type PageContext, languageFor } from "./frame.ts"
import { renderReceipt, renderUnknown, renderUnreachable } from "./ReceiptPage.ts"
import { headersFor } from "./script.ts"

/** Checks by type that all requirements and errors are covered: an error left out does not compile. */
type Routes = Layer.Layer<never, never, HttpRouter.HttpRouter | Admission | OrderLinks | Receipts>

export const layer: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const links = yield* OrderLinks
    const receipts = yield* Receipts
    const through = yield* PublicAdmission.makePage

    const page = Effect.gen(function* () {
      const token = (yield* HttpRouter.params)["token"] ?? ""
      const tradeNo = links.readReceipt(token)
      const { order, shop } = Option.isSome(tradeNo)
        ? yield* receipts.show(tradeNo.value)
        : yield* new NoReceipt({ tradeNo: "" })
      if (!isShownAt(yield* CurrentRecord, order.merchantId)) return yield* new NoReceipt({ tradeNo: "" })
      return yield* respond((context) => renderReceipt({ order, shop, language: context.language }, context), {
        locale: order.locale,
        shop
      })
    }).pipe(
      Effect.catchTags({
        NoReceipt: () => unknown,
        OrderNotFound: () => unknown,
        NotCommitted: () => unreachable,
        OwnerUnavailable: () => unreachable
      }),
      Effect.catchDefect((defect) => (isDatabaseTrouble(defect) ? unreachable : Effect.die(defect))),
      Effect.withSpan("receipts.page")
    )

    yield* router.add("GET", "/receipts/:token", through(page, unreachable))
  })
)

interface Sent {
  readonly locale?: "en" | "zh" | null
  readonly shop?: Shop
  readonly status?: number
  readonly more?: Readonly<Record<string, string>>
}

const respond = (
  render: (context: PageContext) => string,
  { locale = null, more = {}, shop, status = 200 }: Sent = {}
) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const context: PageContext = { ...languageFor(request, locale), shop, offered: PaymentMethod.literals }
    return respondWith(render(context), status, { ...headersFor(shop), ...headersIn(context.language), ...more })
  })

const unknown = respond(renderUnknown, { status: 404 })

const unreachable = respond(renderUnreachable, { status: 503, more: { "retry-after": "1" } })
