/** `coffer orders`: what buyers pay. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import type { Order, TimelineEntry } from "../../sdk/src/index.ts"
import { connect } from "./client.ts"
import { amount, currency, metadata, number, oneOf, text } from "./flags.ts"
import { command, json } from "./frame.ts"
import { withoutNone } from "./withoutNone.ts"
import { type Column, money, printObject, span, table, time } from "./output.ts"
import { getCommand, listCommand, type Resource, tailCommand } from "./resource.ts"

const filters = {
  status: oneOf(
    "status",
    ["pending", "paid", "partially_refunded", "refunded", "failed", "expired"],
    "Only in this state"
  ),
  outTradeNo: text("out-trade-no", "Only the one with this number of yours"),
  receiptEmail: text("receipt-email", "Only those whose receipt goes to this address"),
  paymentMethod: oneOf(
    "payment-method",
    ["card", "alipay", "wechat_pay", "apple_pay", "google_pay"],
    "Only those that were paid so"
  ),
  amountMin: number("amount-min", "Only those of at least so many minor units"),
  amountMax: number("amount-max", "Only those of at most so many minor units"),
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
  list: (coffer, cursors, { amountMax, amountMin, metadata, outTradeNo, paymentMethod, receiptEmail, status }) => {
    const amount = withoutNone({ gte: amountMin, lte: amountMax })
    const own = withoutNone({ status, out_trade_no: outTradeNo, metadata })
    const more = withoutNone({ receipt_email: receiptEmail, payment_method: paymentMethod })
    return [coffer.orders.list({ ...cursors, ...own, ...more, amount })]
  }
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
      const terms = withoutNone({
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

const story = command(
  "story",
  "Tell all that happened to an order, from the request to the webhook, with durations",
  { ref: Argument.String("trade-no") },
  ({ ref }) =>
    Effect.gen(function* () {
      const { ask } = yield* connect()
      const timeline = yield* ask((coffer) => coffer.orders.timeline(ref))
      if (yield* json) return yield* printObject(timeline)
      const print = yield* table(storyColumns)
      yield* print(timeline.entries)
      const more = timeline.truncated ? " There is more: the newest of a kind are left out." : ""
      yield* Console.error(`${timeline.entries.length} entries in ${span(timeline.duration_ms)}.${more}`)
    })
)

const storyColumns: ReadonlyArray<Column<TimelineEntry>> = [
  { title: "AT", of: ({ at }) => time(at) },
  { title: "AFTER", of: ({ after_ms }) => span(after_ms) },
  { title: "WHAT", of: ({ kind }) => kind },
  { title: "ID", of: ({ id }) => id },
  { title: "HAPPENED", of: ({ details, text }) => `${text}${balancesIn(details)}` }
]

/** The balances of a ledger row. */
const balancesIn = ({ balance_after, balance_before, currency, frozen_after }: TimelineEntry["details"]): string => {
  if (typeof balance_before !== "number" || typeof balance_after !== "number") return ""
  const [before, after] = [money(balance_before, ""), money(balance_after, String(currency))]
  return `; available ${before}→ ${after}, frozen ${money(Number(frozen_after), "")}`
}

export const ordersCommand = Command.make("orders").pipe(
  Command.withDescription("Orders: create, get, list, tail, story"),
  Command.withSubcommands([
    create,
    getCommand("orders", "trade-no", (coffer, ref) => coffer.orders.get(ref)),
    listCommand(orders),
    tailCommand(orders),
    story
  ])
)
