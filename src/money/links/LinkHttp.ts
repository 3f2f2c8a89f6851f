/** Handlers of the `payment_links` group (spec: Endpoints, Payment links). */
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import type { PaymentLink } from "@coffer/rules/link/PaymentLink"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { HttpServerResponse } from "effect/http"
import { renderSVG } from "uqr"
import { commonRefusals, unavailable } from "../../shared/http/refusals.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { answerCodes, answeredWith } from "../../shared/idempotency/Answering.ts"
import { span } from "../../platform/runtime/span.ts"
import { ShopHosts } from "../../shared/signedUrls/ShopHosts.ts"
import { ListWaits } from "../../shared/http/ListWaits.ts"
import { waitRefusals } from "../../shared/http/waitRefusals.ts"
import { linkRefusals } from "./linkRefusals.ts"
import { Links } from "./Links.ts"
import { linkView } from "./LinkView.ts"

const created = answerCodes(201)

export const layer = HttpApiBuilder.group(
  Api,
  "payment_links",
  Effect.fnUntraced(function* (handlers) {
    const links = yield* Links
    const pageOf = yield* (yield* ListWaits).on("payment_links", links.page)
    const { baseOf } = yield* ShopHosts
    const view = (link: PaymentLink) => linkView(link, baseOf(link.merchantId))
    const { InvalidField } = commonRefusals
    const { LinkConflict, LinkNotFound } = linkRefusals

    return handlers.handleAll({
      create: span("payment_links.create")(
        function* ({ payload }) {
          const link = yield* answeredWith(created, links.create(yield* Caller, payload))
          return yield* reply(view(link), created.usual)
        },
        Effect.catchTags({ InvalidField, ...unavailable })
      ),

      list: span("payment_links.list")(function* ({ query }) {
        const page = yield* pageOf(yield* Caller, query)
        return yield* replyList("payment_link", "/v1/payment_links", page, view)
      }, Effect.catchTags(waitRefusals)),

      get: span("payment_links.get")(function* ({ params, query }) {
        const link = yield* links.find(yield* Caller, params.link_id)
        return query.format === "svg"
          ? HttpServerResponse.text(renderSVG(view(link).url), { contentType: "image/svg+xml" })
          : yield* reply(view(link))
      }, Effect.catchTags({ LinkNotFound })),

      update: span("payment_links.update")(
        function* ({ params, payload }) {
          return yield* reply(view(yield* links.update(yield* Caller, params.link_id, payload)))
        },
        Effect.catchTags({ InvalidField, LinkConflict, LinkNotFound, ...unavailable })
      )
    })
  })
)
