/** `coffer deliveries`: deliveries of events, and resends of many at once. */
import { deliveries as declared } from "@coffer/resources/webhooks"
import { Command } from "effect/cli"
import type { WebhookDelivery } from "../../sdk/src/index.ts"
import { filtersOf } from "./declared.ts"
import { deliveryColumns } from "./deliveryColumns.ts"
import { withoutNone } from "./withoutNone.ts"
import { resend } from "./resend.ts"
import { getCommand, listCommand, tailCommand, type Tailed } from "./resource.ts"

const filters = filtersOf(declared)

const deliveries: Tailed<WebhookDelivery, typeof filters> = {
  called: "deliveries",
  idOf: ({ id }) => id,
  columns: deliveryColumns,
  filters,
  list: (coffer, cursors, flags) => [coffer.webhookDeliveries.list({ ...cursors, ...withoutNone(flags) })],
  followed: ({ webhookDeliveries }, flags) => [
    (after, options) => webhookDeliveries.follow({ after, ...withoutNone(flags) }, options)
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
