/** `coffer endpoints`: addresses to which the service sends events, with their secrets and their state. */
import { EventType } from "@coffer/model/EventType"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { WebhookEndpoint } from "../../sdk/src/index.ts"
import { connectToWrite } from "./client.ts"
import { oneOf, text } from "./flags.ts"
import { command } from "./frame.ts"
import { printObject, time } from "./output.ts"
import { actsOn, getCommand, listCommand, type Resource } from "./resource.ts"
import { withoutNone } from "./withoutNone.ts"

const endpoints: Resource<WebhookEndpoint, {}> = {
  called: "endpoints",
  idOf: ({ id }) => id,
  columns: [
    { title: "ID", of: ({ id }) => id },
    { title: "STATUS", of: ({ status }) => status, isStatus: true },
    { title: "URL", of: ({ url }) => url },
    { title: "EVENTS", of: ({ enabled_events }) => enabled_events.join(", ") },
    { title: "CREATED", of: ({ created_at }) => time(created_at) }
  ],
  filters: {},
  list: (coffer, cursors) => [coffer.webhookEndpoints.list(cursors)]
}

const types = Flag.Literals("type", EventType.literals).pipe(
  Flag.between(0, EventType.literals.length),
  Flag.withDescription("Only events of this type (repeatable); all types by default")
)
const description = text("description", "Description")
const eventsOf = (types: ReadonlyArray<EventType>) => (types.length === 0 ? {} : { enabled_events: types })

const create = command(
  "create",
  {
    does: "Create an endpoint, and print it with its secret",
    example: "https://shop.example/hook --type payment.succeeded"
  },
  { url: Argument.String("url"), types, description },
  ({ description, types, url }) =>
    Effect.gen(function* () {
      const { ask } = yield* connectToWrite()
      const terms = { url, ...eventsOf(types), ...withoutNone({ description }) }
      yield* printObject(yield* ask(({ webhookEndpoints }) => webhookEndpoints.create(terms)))
    })
)

const actCommand = actsOn(Argument.String("endpoint-id"))

const update = actCommand(
  "update",
  {
    does: "Update an endpoint: URL, event types, status",
    example: "whe_… --status paused"
  },
  {
    url: text("url", "New URL"),
    types,
    description,
    status: oneOf("status", ["enabled", "paused", "disabled"], "New status")
  },
  ({ webhookEndpoints }, id, { description, status, types, url }) =>
    webhookEndpoints.update(id, { ...eventsOf(types), ...withoutNone({ url, description, status }) })
)

const remove = actCommand(
  "delete",
  { does: "Delete an endpoint: nothing is sent to it any more", example: "whe_…" },
  {},
  ({ webhookEndpoints }, id) => webhookEndpoints.delete(id)
)

const rotate = actCommand(
  "rotate",
  { does: "Rotate an endpoint's secret, and print the new one; both sign for 24 hours", example: "whe_…" },
  {},
  ({ webhookEndpoints }, id) => webhookEndpoints.rotateSecret(id)
)

export const endpointsCommand = Command.make("endpoints").pipe(
  Command.withDescription("Webhook endpoints: create, get, list, update, delete, rotate"),
  Command.withSubcommands([
    create,
    getCommand("endpoints", "endpoint-id", (coffer, id) => coffer.webhookEndpoints.get(id)),
    listCommand(endpoints),
    update,
    remove,
    rotate
  ])
)
