/** The route of receipts, for whoever has the signed address (spec: Order, receipt_url). */
import { Effect, type Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import * as PublicAdmission from "../edge/PublicAdmission.ts"
import { pathOf } from "../edge/routing.ts"
import type { Admission } from "../http/Admission.ts"
import { type Language, languageOf } from "../pages/language.ts"
import { respondWith } from "../pages/respond.ts"
import { isDatabaseTrouble } from "../platform/postgres/trouble.ts"
import { OrderLinks } from "../signedUrls/OrderLinks.ts"
import { renderReceipt, renderUnknown, renderUnreachable } from "./ReceiptPage.ts"
import { NoReceipt, Receipts } from "../receipts/Receipts.ts"

/** That nothing but these is needed and nothing can fail is checked here: an error left out does not compile. */
type Routes = Layer.Layer<never, never, HttpRouter.HttpRouter | Admission | OrderLinks | Receipts>

export const layer: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const links = yield* OrderLinks
    const receipts = yield* Receipts
    const through = yield* PublicAdmission.make

    const page = Effect.gen(function* () {
      const token = (yield* HttpRouter.params)["token"] ?? ""
      const tradeNo = links.readReceipt(token)
      const { merchant, order } = Option.isSome(tradeNo)
        ? yield* receipts.show(tradeNo.value)
        : yield* new NoReceipt({ tradeNo: "" })
      return respondWith(renderReceipt({ order, merchant, language: yield* languageFor(order.locale) }))
    }).pipe(
      Effect.catchTags({
        NoReceipt: () => unknown,
        OrderNotFound: () => unknown,
        NotCommitted: () => unreachable,
        ActorUnavailable: () => unreachable
      }),
      Effect.catchDefect((defect) => (isDatabaseTrouble(defect) ? unreachable : Effect.die(defect))),
      Effect.withSpan("receipts.page")
    )

    yield* router.add("GET", "/receipts/:token", through(page, unreachable))
  })
)

const languageFor = (locale: Language | null) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers, url }) =>
    languageOf({
      chosen: URL.parse(url, "http://localhost")?.searchParams.get("lang") ?? null,
      locale,
      accepted: headers["accept-language"]
    })
  )

const unknown = Effect.map(languageFor(null), (language) => respondWith(renderUnknown(language), 404))

const unreachable = Effect.gen(function* () {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  return respondWith(renderUnreachable(yield* languageFor(null), pathOf(url)), 503, { "retry-after": "1" })
})
