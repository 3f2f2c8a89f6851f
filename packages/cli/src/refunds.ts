/** `coffer refunds`: what goes back to buyers. */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Refund } from "../../sdk/src/index.ts"
import { connectToWrite } from "./client.ts"
import { exportCommand } from "./exported.ts"
import { metadata, number, oneOf, text } from "./flags.ts"
import { command } from "./frame.ts"
import { withoutNone } from "./withoutNone.ts"
import { money, printObject, time } from "./output.ts"
import { getCommand, listCommand, type Resource, tailCommand } from "./resource.ts"

const filters = {
  status: oneOf("status", ["pending", "succeeded", "failed"], "Only with this status"),
  tradeNo: text("trade-no", "Only refunds of this order, by its trade_no"),
  outRefundNo: text("out-refund-no", "Only the refund with this out_refund_no")
}

const refunds: Resource<Refund, typeof filters> = {
  called: "refunds",
  idOf: ({ refund_no }) => refund_no,
  columns: [
    { title: "REFUND NO", of: ({ refund_no }) => refund_no },
    { title: "STATUS", of: ({ status }) => status, isStatus: true },
    { title: "AMOUNT", of: ({ amount, currency }) => money(amount, currency) },
    { title: "CREATED", of: ({ created_at }) => time(created_at) },
    { title: "ORDER", of: ({ trade_no }) => trade_no }
  ],
  filters,
  list: (coffer, cursors, flags) => [coffer.refunds.list({ ...cursors, ...queryOf(flags) })]
}

function queryOf({ outRefundNo, status, tradeNo }: Command.Command.Config.Infer<typeof filters>) {
  return withoutNone({ status, trade_no: tradeNo, out_refund_no: outRefundNo })
}

const create = command(
  "create",
  {
    does: "Refund an order; the full remaining amount by default",
    example: "coffer refunds create TRD_SB_… --amount 500 --out-refund-no refund-1"
  },
  {
    tradeNo: Argument.String("trade-no"),
    amount: number("amount", "Minor units: 500 is 5.00"),
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

const refundNo = Argument.String("refund-no").pipe(Argument.withDescription("refund_no or out_refund_no"))

const settle = command(
  "settle",
  { does: "Settle a pending refund as the bank, in the sandbox", example: "refund-1 --outcome failed" },
  {
    refundNo,
    outcome: Flag.Literals("outcome", ["succeeded", "failed"]).pipe(
      Flag.withDefault("succeeded" as const),
      Flag.withDescription("Outcome; succeeded by default")
    )
  },
  ({ outcome, refundNo }) =>
    Effect.gen(function* () {
      const { ask } = yield* connectToWrite()
      yield* printObject(yield* ask(({ testHelpers }) => testHelpers.refunds.settle(refundNo, { outcome })))
    })
)

const update = command(
  "update",
  { does: "Update a refund's metadata", example: "refund-1 --metadata case=4711" },
  { refundNo, metadata },
  ({ metadata, refundNo }) =>
    Effect.gen(function* () {
      const { ask } = yield* connectToWrite()
      yield* printObject(yield* ask(({ refunds }) => refunds.update(refundNo, withoutNone({ metadata }))))
    })
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
    exportCommand("refunds", filters, (coffer, created, flags) => coffer.refunds.csv({ ...created, ...queryOf(flags) }))
  ])
)
