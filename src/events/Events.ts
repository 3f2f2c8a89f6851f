/**
 * Front door to events: turns what happened into rows that are committed together with the change that caused it
 * (spec: Events). It writes nothing itself.
 */
import { type MerchantId, type Mode, prefixes } from "@coffer/model/Ids"
import { withoutSignature } from "@coffer/rules/checkoutAddress"
import { route } from "@coffer/rules/delivery/route"
import { Context, Effect, Layer, Schema } from "effect"
import { CheckoutLinks } from "../signedUrls/CheckoutLinks.ts"
import { type ChangeSet, insert } from "../platform/commit/Change.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { isoText, jsonText } from "../platform/runtime/codecs.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import { type MerchantNotFound, Merchants } from "../merchants/Merchants.ts"
import { eventView, type Happening, shownTo } from "./EventView.ts"

export interface Recorded extends Happening {
  readonly merchantId: MerchantId
  /** The object that changed, by its platform number. */
  readonly objectId: string
  /** The order whose event it is, and where that order wants its events. */
  readonly tradeNo: string
  readonly notifyUrl: string | null
}

export class Events extends Context.Service<
  Events,
  {
    /** The event's row and one delivery row for each destination. */
    readonly record: (happening: Recorded) => Effect.Effect<ChangeSet, MerchantNotFound>
    /** What is delivered of a stored body: the same bytes each time. */
    readonly deliverable: (body: string) => string
  }
>()("@coffer/events/Events") {}

export const layer = Layer.effect(
  Events,
  Effect.gen(function* () {
    const ids = yield* NewIds
    const merchants = yield* Merchants
    const links = yield* CheckoutLinks
    const shown = shownTo(links.complete)

    const record = Effect.fnUntraced(function* (happening: Recorded) {
      const now = yield* currentTime
      const id = yield* ids.next(prefixes.event)
      const defaultUrl = (yield* merchants.find(happening.merchantId)).modes[happening.mode].default_notify_url
      const destinations = route(happening.type, { notifyUrl: happening.notifyUrl, endpoints: [], defaultUrl })
      const owner: { readonly merchant_id: string; readonly mode: Mode } = {
        merchant_id: happening.merchantId,
        mode: happening.mode
      }
      const event = insert("events", {
        id,
        ...owner,
        type: happening.type,
        object_id: happening.objectId,
        trade_no: happening.tradeNo,
        body: jsonText(eventView(id, now, { ...happening, object: withoutSignature(happening.object) })),
        created_at: isoText(now)
      })
      const rows = [event]
      for (const { endpointId, url } of destinations) {
        rows.push(
          insert("deliveries", {
            id: yield* ids.next(prefixes.delivery),
            event_id: id,
            ...owner,
            endpoint_id: endpointId,
            url,
            // What may be slow or dead as one: host and port (docs/architecture.md, section 5).
            destination: new URL(url).host,
            status: "pending",
            attempts: 0,
            next_attempt_at: isoText(now),
            created_at: isoText(now)
          })
        )
      }
      return rows
    })

    return Events.of({
      record,
      // Most events are of orders; the others are as they were stored.
      deliverable: (body) => (body.includes(checkoutField) ? jsonText(shown(parse(body))) : body)
    })
  })
)

const checkoutField = '"checkout_url":'
const parse = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.ObjectKeyword))
