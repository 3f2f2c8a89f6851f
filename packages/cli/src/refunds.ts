/** `coffer refunds`: refunds to buyers. */
import { refunds as declared } from "@coffer/resources/returns"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Refund } from "../../sdk/src/index.ts"
import { connectToWrite } from "./client.ts"
import { columnsOf, filtersOf } from "./declared.ts"
import { exportCommand } from "./exported.ts"
import { metadata, partialAmount, text } from "./flags.ts"
import { command } from "./frame.ts"
import { withoutNone } from "./withoutNone.ts"
import { printObject } from "./output.ts"
import { actsOn, getCommand, listCommand, tailCommand, type Tailed } from "./resource.ts"

const filters = filtersOf(declared)

const refunds: Tailed<Refund, typeof filters> = {
  called: "refunds",
  idOf: ({ refund_no }) => refund_no,
  columns: columnsOf(declared),
  filters,
  list: (coffer, cursors, flags) => [coffer.refunds.list({ ...cursors, ...withoutNone(flags) })],
  followed: ({ refunds }, flags) => [(after, options) => refunds.follow({ after, ...withoutNone(flags) }, options)]
}

const create = command(
  "create",
  {
    does: "Refund an order; the full remaining amount by default",
    example: "coffer refunds create TRD_SB_… --amount 500 --out-refund-no refund-1"
  },
  {
    tradeNo: Argument.String("trade-no"),
    amount: partialAmount,
    outRefundNo: text("out-refund-no", "Your refund number; sending it again returns the same refund"),
    reason: text("reason", "Reason, in one line"),
    metadata
  },
  ({ amount, metadata, outRefundNo, reason, tradeNo }) =>
    Effect.gen(function* () {
      const { ask } = yield* connectToWrite()
      const terms = withoutNone({ amount, out_refund_no: outRefundNo, reason, metadata })
      yield* printObject(yield* ask((coffer) => coffer.refunds.create({ trade_no: tradeNo, ...terms })))
    })
)

const actCommand = actsOn(Argument.String("refund-no").pipe(Argument.withDescription("refund_no or out_refund_no")))

const settle = actCommand(
  "settle",
  { does: "Settle a pending refund as the bank, in the sandbox", example: "refund-1 --outcome failed" },
  {
    outcome: Flag.Literals("outcome", ["succeeded", "failed"]).pipe(
      Flag.withDefault("succeeded" as const),
      Flag.withDescription("Outcome; succeeded by default")
    )
  },
  ({ testHelpers }, refundNo, { outcome }) => testHelpers.refunds.settle(refundNo, { outcome })
)

const update = actCommand(
  "update",
  { does: "Update a refund's metadata", example: "refund-1 --metadata case=4711" },
  { metadata },
  ({ refunds }, refundNo, { metadata }) => refunds.update(refundNo, withoutNone({ metadata }))
)

export const refundsCommand = Command.make("refunds").pipe(
  Command.withDescription("Refunds: create, get, list, tail, settle, update, export"),
  Command.withSubcommands([
    create,
    getCommand("refunds", "refund-no", (coffer, ref) => coffer.refunds.get(ref)),
    listCommand(refunds),
    tailCommand(refunds),
    settle,
    update,
    exportCommand("refunds", filters, (coffer, created, flags) =>
      coffer.refunds.csv({ ...created, ...withoutNone(flags) })
    )
  ])
)
