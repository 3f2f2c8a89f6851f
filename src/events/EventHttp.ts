/** Handlers of the `events` group. An event is answered as it was stored and delivered: nothing is made anew. */
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { refusals } from "../http/refusals.ts"
import { refuseWith, reply, replyList } from "../http/replies.ts"
import { EventLists, type EventNotFound as Unknown } from "./EventLists.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const events = yield* EventLists
    const { InvalidField } = refusals

    return handlers.handleAll({
      list: Effect.fn("events.list")(function* ({ query }) {
        const { data, hasMore } = yield* events.page(yield* Caller, query)
        return yield* replyList("event", "/v1/events", { data: data.map(({ body }) => body), hasMore })
      }, Effect.catchTags({ InvalidField })),

      retrieve: Effect.fn("events.retrieve")(function* ({ params }) {
        const { body } = yield* events.find(yield* Caller, params.event_id)
        return yield* reply(body)
      }, Effect.catchTags({ EventNotFound }))
    })
  })
)

const EventNotFound = ({ id }: Unknown) =>
  refuseWith((request_id) => new Wire.EventNotFound({ message: `No event ${id}.`, request_id }))
