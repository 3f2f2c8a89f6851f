/** `coffer deliveries`: deliveries of events, and resends of many at once. */
import { Command } from "effect/cli"
import type { WebhookDelivery } from "../../sdk/src/index.ts"
import { deliveryColumns } from "./deliveryColumns.ts"
import { oneOf, text } from "./flags.ts"
import { withoutNone } from "./withoutNone.ts"
import { resend } from "./resend.ts"
import { getCommand, listCommand, type Resource, tailCommand } from "./resource.ts"

const filters = {
  status: oneOf("status", ["pending", "succeeded", "failed", "skipped"], "Only with this status"),
  eventId: text("event-id", "Only deliveries of this event"),
  endpointId: text("endpoint-id", "Only deliveries to this endpoint")
}

const deliveries: Resource<WebhookDelivery, typeof filters> = {
  called: "deliveries",
  idOf: ({ id }) => id,
  columns: deliveryColumns,
  filters,
  list: (coffer, cursors, { endpointId, eventId, status }) => [
    coffer.webhookDeliveries.list({
      ...cursors,
      ...withoutNone({ status, event_id: eventId, endpoint_id: endpointId })
    })
  ]
}

export const deliveriesCommand = Command.make("deliveries").pipe(
  Command.withDescription("Webhook deliveries: get, list, tail, resend"),
  Command.withSubcommands([
    getCommand("deliveries", "delivery-id", (coffer, ref) => coffer.webhookDeliveries.get(ref)),
    listCommand(deliveries),
    tailCommand(deliveries),
    resend
  ])
)
