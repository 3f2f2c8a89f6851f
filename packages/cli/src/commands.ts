/** All commands that work through the APIs: the merchants', and the operator's. */
import { clockCommand } from "./clock.ts"
import { confirmCommand } from "./confirmed.ts"
import { deliveriesCommand } from "./deliveries.ts"
import { disputesCommand } from "./disputes.ts"
import { erasuresCommand } from "./erasures.ts"
import { eventsCommand } from "./events.ts"
import { heldUpCommand } from "./heldUp.ts"
import { ledgerCommand } from "./ledger.ts"
import { linksCommand } from "./links.ts"
import { listenCommand } from "./listen.ts"
import { logsCommand } from "./logs.ts"
import { ordersCommand } from "./orders.ts"
import { payoutsCommand } from "./payouts.ts"
import { refundsCommand } from "./refunds.ts"
import { reportsCommand } from "./reports.ts"
import { stripeCommand } from "./stripe.ts"
import { triggerCommand } from "./trigger.ts"
import { webhooksCommand } from "./webhooks.ts"

export const merchantCommands = [
  ordersCommand,
  refundsCommand,
  disputesCommand,
  linksCommand,
  eventsCommand,
  deliveriesCommand,
  logsCommand,
  ledgerCommand,
  reportsCommand,
  listenCommand,
  triggerCommand,
  clockCommand,
  webhooksCommand,
  confirmCommand
] as const

export const operatorCommands = [heldUpCommand, payoutsCommand, erasuresCommand, stripeCommand] as const
