/** `coffer events`: all events, also those that no webhook has received. */
import { EventType } from "@coffer/model/EventType"
import { events as declared } from "@coffer/resources/webhooks"
import { Command, Flag } from "effect/cli"
import type { Event } from "../../sdk/src/index.ts"
import { columnsOf } from "./declared.ts"
import { text } from "./flags.ts"
import { withoutNone } from "./withoutNone.ts"
import { getCommand, listCommand, tailCommand, type Tailed } from "./resource.ts"

const filters = {
  types: Flag.Literals("type", EventType.literals).pipe(
    Flag.between(0, EventType.literals.length),
    Flag.withDescription("Only events of this type (repeatable)")
  ),
  objectId: text("object-id", "Only events of this order, refund or dispute, by trade_no, refund_no or dispute_no")
}

/** The number of the event's object. */
const subjectOf = ({ data: { object } }: Event): string =>
  "dispute_no" in object ? object.dispute_no : "refund_no" in object ? object.refund_no : object.trade_no

const events: Tailed<Event, typeof filters> = {
  called: "events",
  idOf: ({ id }) => id,
  columns: columnsOf<Event>(declared).toSpliced(2, 0, { title: "ABOUT", of: subjectOf }),
  filters,
  list: (coffer, cursors, flags) => [coffer.events.list({ ...cursors, ...queryOf(flags) })],
  followed: ({ events }, flags) => [(after, options) => events.follow({ after, ...queryOf(flags) }, options)]
}

function queryOf({ objectId, types }: Command.Command.Config.Infer<typeof filters>) {
  return { ...(types.length === 0 ? {} : { type: types }), ...withoutNone({ object_id: objectId }) }
}

export const eventsCommand = Command.make("events").pipe(
  Command.withDescription("Events: get, list, tail"),
  Command.withSubcommands([
    getCommand("events", "event-id", (coffer, ref) => coffer.events.get(ref)),
    listCommand(events),
    tailCommand(events)
  ])
)
