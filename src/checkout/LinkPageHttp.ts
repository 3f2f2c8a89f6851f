/**
 * The route of payment links, for buyers: each visit makes an order and leads to its checkout (spec: Payment link;
 * silences: L4, L5). Programs that look ahead get a page, and no order is made.
 */
import { linkVisitsMax } from "@coffer/model/Limits"
import { Effect, type Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as PublicAdmission from "../edge/PublicAdmission.ts"
import * as PublicQuota from "../edge/PublicQuota.ts"
import { pathOf } from "../edge/routing.ts"
import type { Admission } from "../http/Admission.ts"
import { Links } from "../links/Links.ts"
import { isDatabaseTrouble } from "../platform/postgres/trouble.ts"
import { OrderLinks } from "../signedUrls/OrderLinks.ts"
import { type LinkPage, renderLink } from "./LinkPage.ts"
import { headers, respondWith } from "../pages/respond.ts"

const path = "/pay/:link_id"

/** That nothing but these is needed and nothing can fail is checked here: an error left out does not compile. */
type Routes = Layer.Layer<never, never, HttpRouter.HttpRouter | Admission | OrderLinks | Links | PublicQuota.Needs>

export const layer: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const links = yield* Links
    const checkouts = yield* OrderLinks
    const take = yield* PublicQuota.make
    const through = yield* PublicAdmission.make

    const visit = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const address = pathOf(request.url)
      const link = yield* links.byId((yield* HttpRouter.params)["link_id"] ?? "")
      if (looksAhead(request)) return respond({ _tag: "Preview", link, address })
      const { allowed, retryAfterMillis } = yield* take("visits", linkVisitsMax)
      if (!allowed) {
        const seconds = String(Math.max(1, Math.ceil(retryAfterMillis / 1_000)))
        return respond({ _tag: "TooOften", address }, 429, { "retry-after": seconds })
      }
      const { expiresAt, tradeNo } = yield* links.visit(link)
      // Without a host, so that the buyer stays on the one that brought the page.
      const { pathname } = new URL(checkouts.signed.checkout(tradeNo, expiresAt))
      return HttpServerResponse.redirect(pathname, { status: 303, headers })
    }).pipe(
      Effect.catchTags({
        LinkNotFound: () => closed("unknown"),
        LinkClosed: ({ reason }) => closed(reason),
        InvalidField: () => closed("unavailable"),
        NotCommitted: () => unreachable,
        ActorUnavailable: () => unreachable
      }),
      Effect.catchDefect((defect) => (isDatabaseTrouble(defect) ? unreachable : Effect.die(defect))),
      Effect.withSpan("links.visit")
    )

    yield* router.add("GET", path, through(visit, unreachable))
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

const closed = (reason: Extract<LinkPage, { readonly _tag: "Closed" }>["reason"]) =>
  Effect.succeed(respond({ _tag: "Closed", reason }))

const unreachable = Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) =>
  respond({ _tag: "Unreachable", address: pathOf(url) }, 503, { "retry-after": "1" })
)

const respond = (page: LinkPage, status = 200, more: Readonly<Record<string, string>> = {}) =>
  respondWith(renderLink(page), status, more)
