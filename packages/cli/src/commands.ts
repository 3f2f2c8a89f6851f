/** All commands that work through the merchant API. */
import { disputesCommand } from "./disputes.ts"
import { eventsCommand } from "./events.ts"
import { ledgerCommand } from "./ledger.ts"
import { linksCommand } from "./links.ts"
import { logsCommand } from "./logs.ts"
import { ordersCommand } from "./orders.ts"
import { refundsCommand } from "./refunds.ts"

export const merchantCommands = [
  ordersCommand,
  refundsCommand,
  disputesCommand,
  linksCommand,
  eventsCommand,
  logsCommand,
  ledgerCommand
] as const
