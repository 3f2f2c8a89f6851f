/**
 * Notifies a checkout page of changes of its order: by server-sent events, or by one word for a page that polls. Like
 * the page it needs only the signed address (silences: K).
 */
import { Deferred, Effect, type Layer, Option, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Channel } from "../../shared/channel/Channel.ts"
import { CurrentRecord, isShownAt } from "../../shared/http/CurrentRequest.ts"
import type { Draining } from "../../shared/http/Draining.ts"
import * as PublicAdmission from "../edge/PublicAdmission.ts"
import type { Admission } from "../../shared/http/Admission.ts"
import type { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"
import { Orders } from "../../money/orders/Orders.ts"
import { headers } from "../../shared/pages/respond.ts"
import { isDatabaseTrouble } from "../../platform/postgres/trouble.ts"
import { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"
import * as OrderWatch from "./OrderWatch.ts"

const path = "/checkout/:token/events"

/** The interval of keep-alives for proxies, and their number, after which the connection ends. */
const beatEvery = "15 seconds"
const beatsMax = 20

type Routes = Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | Admission | OrderLinks | Draining | MerchantClocks | Orders | Channel
>

export const layer: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const links = yield* OrderLinks
    const orders = yield* Orders
    const watch = yield* OrderWatch.make
    const through = yield* PublicAdmission.makePage

    const events = Effect.gen(function* () {
      const { token } = yield* HttpRouter.params
      const { headers: sent, method } = yield* HttpServerRequest.HttpServerRequest
      const tradeNo = links.readCheckout(token ?? "")
      if (Option.isNone(tradeNo)) return word("unknown", 404)
      const order = yield* orders.byTradeNo(tradeNo.value)
      if (!isShownAt(yield* CurrentRecord, order.merchantId)) return word("unknown", 404)
      const isOpen = yield* watch.isOpen(order)
      if (method === "HEAD" || sent["accept"]?.includes("text/event-stream") !== true)
        return word(isOpen ? "pending" : "changed")
      return watch.hasRoom(tradeNo.value) ? eventsOf(watch.listen(tradeNo.value)) : word("busy", 503)
    }).pipe(
      Effect.catchTags({ OrderNotFound: () => Effect.succeed(word("unknown", 404)) }),
      Effect.catchDefect((defect) =>
        isDatabaseTrouble(defect) ? Effect.succeed(word("busy", 503)) : Effect.die(defect)
      ),
      Effect.withSpan("checkout.events")
    )

    yield* router.add("GET", path, through(events, Effect.succeed(word("busy", 503))))
  })
)

const word = (text: "pending" | "changed" | "unknown" | "busy", status = 200) =>
  HttpServerResponse.text(text, { status, headers })

/** The browser connects again when it ends without a change. */
const eventsOf = (listen: ReturnType<OrderWatch.OrderWatch["listen"]>) => {
  const stream = Stream.unwrap(
    Effect.map(listen, (outcome) =>
      Stream.concat(
        Stream.make("retry: 3000\n\n"),
        Stream.unfold(0, (beats) =>
          beats > beatsMax
            ? Effect.succeed(undefined)
            : Effect.map(Effect.timeoutOption(Deferred.await(outcome), beatEvery), (ended) => {
                if (Option.isNone(ended)) return [":\n\n", beats + 1] as const
                return [ended.value === "changed" ? "event: changed\ndata:\n\n" : ":\n\n", beatsMax + 1] as const
              })
        )
      )
    )
  )
  return HttpServerResponse.stream(Stream.encodeText(stream), { contentType: "text/event-stream", headers })
}
