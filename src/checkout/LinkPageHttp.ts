/**
 * The route of payment links, for buyers: each visit makes an order and leads to its checkout (spec: Payment link;
 * silences: L4, L5). Programs that look ahead get a page, and no order is made.
 */
import { linkVisitsMax } from "@coffer/model/Limits"
import type { PaymentLink } from "@coffer/rules/link/PaymentLink"
import { Effect, type Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as PublicAdmission from "../edge/PublicAdmission.ts"
import * as PublicQuota from "../edge/PublicQuota.ts"
import type { Admission } from "../http/Admission.ts"
import { Links } from "../links/Links.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { MerchantClocks } from "../platform/runtime/MerchantClocks.ts"
import { isDatabaseTrouble } from "../platform/postgres/trouble.ts"
import { OrderLinks } from "../signedUrls/OrderLinks.ts"
import { type LinkPage, renderLink } from "./LinkPage.ts"
import { headersIn, respondWith } from "../pages/respond.ts"
import { findShop } from "./findShop.ts"
import { choiceOf, seenBy } from "./frame.ts"
import { checkoutHeaders as headers } from "./script.ts"

const path = "/pay/:link_id"

/** That nothing but these is needed and nothing can fail is checked here: an error left out does not compile. */
type Routes = Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | Admission | OrderLinks | Links | MerchantClocks | Merchants | PublicQuota.Needs
>

export const layer: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const links = yield* Links
    const checkouts = yield* OrderLinks
    const merchants = yield* Merchants
    const clocks = yield* MerchantClocks
    const take = yield* PublicQuota.make
    const through = yield* PublicAdmission.makePage

    const respond = Effect.fnUntraced(function* (
      page: LinkPage,
      status = 200,
      more: Readonly<Record<string, string>> = {}
    ) {
      const { chosen, language } = seenBy(yield* HttpServerRequest.HttpServerRequest, null)
      const seen = { chosen, language, ...(yield* findShop(merchants, page.link)) }
      return respondWith(renderLink(page, seen), status, { ...headers, ...headersIn(language), ...more })
    })

    const unreachable = (link?: PaymentLink) =>
      respond({ _tag: "Unreachable", ...(link === undefined ? {} : { link }) }, 503, { "retry-after": "1" })

    const follow = Effect.fnUntraced(
      function* (link: PaymentLink) {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (looksAhead(request)) return yield* respond({ _tag: "Preview", link })
        const { allowed, retryAfterMillis } = yield* take("visits", linkVisitsMax)
        if (!allowed) {
          const seconds = String(Math.max(1, Math.ceil(retryAfterMillis / 1_000)))
          return yield* respond({ _tag: "TooOften", link }, 429, { "retry-after": seconds })
        }
        const { expiresAt, tradeNo } = yield* links.visit(link)
        // Without a host, so that the buyer stays on the one that brought the page.
        const { pathname } = new URL(checkouts.signed.checkout(tradeNo, expiresAt))
        return HttpServerResponse.redirect(pathname + choiceOf(seenBy(request, null)), { status: 303, headers })
      },
      (effect, link) =>
        Effect.catchTags(effect, {
          LinkClosed: ({ reason }) => respond({ _tag: "Closed", link, reason }),
          InvalidField: () => respond({ _tag: "Closed", link, reason: "unavailable" }),
          NotCommitted: () => unreachable(link),
          ActorUnavailable: () => unreachable(link)
        })
    )

    const visit = Effect.gen(function* () {
      const link = yield* links.byId((yield* HttpRouter.params)["link_id"] ?? "")
      return yield* clocks.within(link, follow(link))
    }).pipe(
      Effect.catchTags({ LinkNotFound: () => respond({ _tag: "Closed", reason: "unknown" }) }),
      Effect.catchDefect((defect) => (isDatabaseTrouble(defect) ? unreachable() : Effect.die(defect))),
      Effect.withSpan("links.visit")
    )

    yield* router.add("GET", path, through(visit, unreachable()))
  })
)

/** Browsers that load ahead, HEAD, and programs that show what is behind a link, would use it up. */
const looksAhead = ({ headers, method }: HttpServerRequest.HttpServerRequest): boolean =>
  method === "HEAD" ||
  /prefetch|prerender|preview/i.test(`${headers["sec-purpose"]} ${headers["purpose"]} ${headers["x-purpose"]}`) ||
  previewers.test(headers["user-agent"] ?? "")

/** Words of the User-Agent of programs that fetch pages by themselves. */
const previewers = new RegExp(
  [
    "bot\\b|bot[/;]|crawler|spider|preview|slurp|embedly|quora link",
    "facebookexternalhit|facebot|whatsapp|skypeuri|vkshare|snapchat|pinterest/"
  ].join("|"),
  "i"
)
