/** Handlers of the `events` group. An event is answered as it was delivered, from the stored body. */
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { span } from "../../platform/runtime/span.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { ListWaits } from "../../shared/http/ListWaits.ts"
import { waitRefusals } from "../../shared/http/waitRefusals.ts"
import { EventLists } from "./EventLists.ts"
import { eventRefusals } from "./eventRefusals.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const events = yield* EventLists
    const { EventNotFound } = eventRefusals
    const pageOf = yield* (yield* ListWaits).on("events", events.page)

    return handlers.handleAll({
      list: span("events.list")(function* ({ query }) {
        const page = yield* pageOf(yield* Caller, query)
        return yield* replyList("event", "/v1/events", page, ({ body }) => body)
      }, Effect.catchTags(waitRefusals)),

      get: span("events.get")(function* ({ params }) {
        const { body } = yield* events.find(yield* Caller, params.event_id)
        return yield* reply(body)
      }, Effect.catchTags({ EventNotFound }))
    })
  })
)
