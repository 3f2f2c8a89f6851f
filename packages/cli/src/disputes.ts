/** `coffer disputes`: what buyers' banks take back. They open them, so there is no `create`. */
import { Command } from "effect/cli"
import type { Dispute } from "../../sdk/src/index.ts"
import { oneOf, text } from "./flags.ts"
import { withoutNone } from "./withoutNone.ts"
import { money, time } from "./output.ts"
import { getCommand, listCommand, type Resource, tailCommand } from "./resource.ts"

const filters = {
  status: oneOf("status", ["needs_response", "under_review", "won", "lost", "closed"], "Only in this state"),
  tradeNo: text("trade-no", "Only those of this order, by our number")
}

const disputes: Resource<Dispute, typeof filters> = {
  called: "disputes",
  idOf: ({ dispute_no }) => dispute_no,
  columns: [
    { title: "DISPUTE NO", of: ({ dispute_no }) => dispute_no },
    { title: "STATUS", of: ({ status }) => status, isStatus: true },
    { title: "AMOUNT", of: ({ amount, currency }) => money(amount, currency) },
    { title: "REASON", of: ({ reason }) => reason },
    { title: "ANSWER BY", of: ({ evidence_due_by }) => time(evidence_due_by) },
    { title: "ORDER", of: ({ trade_no }) => trade_no }
  ],
  filters,
  list: (coffer, cursors, { status, tradeNo }) => [
    coffer.disputes.list({ ...cursors, ...withoutNone({ status, trade_no: tradeNo }) })
  ]
}

export const disputesCommand = Command.make("disputes").pipe(
  Command.withDescription("Disputes: get, list, tail"),
  Command.withSubcommands([
    getCommand("disputes", "dispute-no", (coffer, ref) => coffer.disputes.get(ref)),
    listCommand(disputes),
    tailCommand(disputes)
  ])
)
