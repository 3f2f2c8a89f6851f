/**
 * Front door to events: turns facts into rows that are committed together with the change that caused them (spec:
 * Events). It writes nothing itself.
 */
import { createdAtOf, prefixes } from "@coffer/model/Ids"
import { withoutSignatures } from "@coffer/rules/signedAddresses"
import { type Addresses, destinationOf, route } from "@coffer/rules/delivery/route"
import { Clock, Context, DateTime, Effect, Layer, Option } from "effect"
import { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"
import { type ChangeSet, insert } from "../../platform/commit/Change.ts"
import { jsonText, parseJson } from "../../platform/runtime/codecs.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import type { Account } from "@coffer/model/Account"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { bodyOf, pack, type StoredBody } from "./eventBodies.ts"
import { deliveries, events } from "./eventRows.ts"
import { eventView, type Happening, shownTo } from "./EventView.ts"

export interface Recorded extends Omit<Happening, "mode"> {
  /** The object that changed, by its platform number. */
  readonly objectId: string
  /** The order of the event, and that order's own `notify_url`. */
  readonly tradeNo: string
  readonly notifyUrl: string | null
}

/** The event's row and one delivery row for each destination. */
export type Recorder = (happening: Recorded, now: DateTime.Utc) => ChangeSet

export class Events extends Context.Service<
  Events,
  {
    /** Looks up where the merchant's events go, so that recording one is synchronous. */
    readonly recorder: (account: Account) => Effect.Effect<Recorder>
    /** The text of a stored body that is delivered: the same bytes each time. */
    readonly deliverable: (stored: StoredBody) => string
  }
>()("@coffer/events/Events") {}

export const layer = Layer.effect(
  Events,
  Effect.gen(function* () {
    const ids = yield* NewIds
    const merchants = yield* Merchants
    const links = yield* OrderLinks
    const shown = shownTo(links.complete)

    const recorderTo =
      ({ merchantId, mode }: Account, addresses: Omit<Addresses, "notifyUrl">, clock: Clock.Clock): Recorder =>
      (happening, now) => {
        const { notifyUrl, objectId, tradeNo, type } = happening
        const millis = DateTime.toEpochMillis(now)
        const id = ids.at(prefixes.event, millis, clock)
        const createdAt = createdAtOf(id)
        const shared = { merchantId, mode, createdAt }
        const object = withoutSignatures(happening.object)
        const body = jsonText(eventView(id, createdAt, { ...happening, mode, object }))
        return [
          insert(events, { ...shared, id, type, objectId, tradeNo, packed: pack(body) }),
          ...route(type, { notifyUrl, ...addresses }).map(({ endpointId, url }) =>
            insert(deliveries, {
              ...shared,
              id: ids.at(prefixes.delivery, millis, clock),
              eventId: id,
              endpointId,
              url,
              destination: destinationOf(url),
              status: "pending",
              attempts: 0,
              nextAttemptAt: now,
              resendOf: null
            })
          )
        ]
      }

    return Events.of({
      recorder: (account) =>
        Effect.withFiber((fiber) =>
          merchants.find(account.merchantId).pipe(
            Effect.map(({ modes }) => {
              const { default_notify_url: defaultUrl, webhooks } = modes[account.mode]
              return recorderTo(account, { defaultUrl, endpoints: webhooks.endpoints }, fiber.getRef(Clock.Clock))
            }),
            // The account of an object is a merchant's.
            Effect.catchTags({ MerchantNotFound: Effect.die })
          )
        ),
      // Most events are of orders; the others are as they were stored.
      deliverable: (stored) => {
        const body = bodyOf(stored)
        return body.includes(checkoutField) ? jsonText(shown(Option.getOrThrow(parseJson(body)))) : body
      }
    })
  })
)

const checkoutField = '"checkout_url":'
