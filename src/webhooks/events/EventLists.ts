/** Front door to events as merchants read them back: one, or a page (spec: Events and logs; silences: E1). */
import type { EventQuery } from "@coffer/contract/Events"
import type { Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"
import { span } from "../../platform/runtime/span.ts"
import { EventStore, type StoredEvent } from "./EventStore.ts"
import { shownTo } from "./EventView.ts"

export class EventNotFound extends Schema.TaggedError<EventNotFound>()("EventNotFound", { id: Schema.String }) {}

export class EventLists extends Context.Service<
  EventLists,
  {
    readonly find: (account: Account, id: string) => Effect.Effect<StoredEvent, EventNotFound>
    readonly page: (account: Account, query: EventQuery) => Effect.Effect<Page<StoredEvent>, InvalidField>
  }
>()("@coffer/events/EventLists") {}

export const layer = Layer.effect(
  EventLists,
  Effect.gen(function* () {
    const store = yield* EventStore
    const links = yield* OrderLinks
    const shown = shownTo(links.complete)
    const asShown = ({ body, id }: StoredEvent): StoredEvent => ({ id, body: shown(body) })

    return EventLists.of({
      find: span("EventLists.find")(function* (account, id) {
        const found = yield* store.find(account, id)
        return Option.isSome(found) ? asShown(found.value) : yield* new EventNotFound({ id })
      }),
      page: span("EventLists.page")(function* (account, query) {
        const page = yield* store.page(account, yield* Effect.fromResult(readPageRequest(query)), query)
        return { ...page, data: page.data.map(asShown) }
      })
    })
  })
)

export type { StoredEvent }
