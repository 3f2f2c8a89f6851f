/** `coffer orders`: what buyers pay. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import type { Order } from "../../sdk/src/index.ts"
import { connect } from "./client.ts"
import { amount, currency, metadata, oneOf, text } from "./flags.ts"
import { command } from "./frame.ts"
import { given } from "./given.ts"
import { money, printObject, time } from "./output.ts"
import { getCommand, listCommand, type Resource, tailCommand } from "./resource.ts"

const filters = {
  status: oneOf(
    "status",
    ["pending", "paid", "partially_refunded", "refunded", "failed", "expired"],
    "Only in this state"
  ),
  outTradeNo: text("out-trade-no", "Only the one with this number of yours"),
  metadata
}

const orders: Resource<Order, typeof filters> = {
  called: "orders",
  idOf: ({ trade_no }) => trade_no,
  columns: [
    { title: "TRADE NO", of: ({ trade_no }) => trade_no },
    { title: "STATUS", of: ({ status }) => status, isStatus: true },
    { title: "AMOUNT", of: ({ amount, currency }) => money(amount, currency) },
    { title: "REFUNDED", of: ({ currency, refunded_amount }) => money(refunded_amount, currency) },
    { title: "CREATED", of: ({ created_at }) => time(created_at) },
    { title: "YOUR NUMBER", of: ({ out_trade_no }) => out_trade_no }
  ],
  filters,
  list: (coffer, cursors, { metadata, outTradeNo, status }) => [
    coffer.orders.list({ ...cursors, ...given({ status, out_trade_no: outTradeNo, metadata }) })
  ]
}

const create = command(
  "create",
  "Create an order, and print it with the address of its checkout",
  {
    amount,
    currency,
    outTradeNo: text("out-trade-no", "Your number of the order; sent again, it gets the same order"),
    subject: text("subject", "The title that the buyer reads"),
    notifyUrl: text("notify-url", "Where the events of this order go"),
    returnUrl: text("return-url", "Where the buyer goes after the payment"),
    metadata,
    receiptEmail: text("receipt-email", "Who gets the receipt"),
    locale: oneOf("locale", ["zh", "en"], "Language of checkout and receipt")
  },
  ({ amount, currency, locale, metadata, notifyUrl, outTradeNo, receiptEmail, returnUrl, subject }) =>
    Effect.gen(function* () {
      const { ask } = yield* connect()
      const terms = given({
        currency,
        out_trade_no: outTradeNo,
        subject,
        notify_url: notifyUrl,
        return_url: returnUrl,
        metadata,
        receipt_email: receiptEmail,
        locale
      })
      yield* printObject(yield* ask((coffer) => coffer.orders.create({ amount, ...terms })))
    })
)

export const ordersCommand = Command.make("orders").pipe(
  Command.withDescription("Orders: create, get, list, tail"),
  Command.withSubcommands([
    create,
    getCommand("orders", "trade-no", (coffer, ref) => coffer.orders.get(ref)),
    listCommand(orders),
    tailCommand(orders)
  ])
)
