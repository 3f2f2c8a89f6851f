/** `coffer orders`: the orders that buyers pay. */
import { Locale } from "@coffer/model/Locale"
import { CaptureMethod, PaymentMethod } from "@coffer/model/PaymentMethod"
import { orders as declared } from "@coffer/resources/orders"
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import type { Order, TimelineEntry } from "../../sdk/src/index.ts"
import { connect, connectToWrite } from "./client.ts"
import { columnsOf, filtersOf } from "./declared.ts"
import { exportCommand } from "./exported.ts"
import { amount, currency, metadata, number, oneOf, text } from "./flags.ts"
import { command, json } from "./frame.ts"
import { withoutNone } from "./withoutNone.ts"
import { type Column, money, printObject, span, table, time } from "./output.ts"
import { actsOn, getCommand, listCommand, tailCommand, type Tailed } from "./resource.ts"

const filters = {
  ...filtersOf(declared),
  amountMin: number("amount-min", "Minimum amount, in minor units"),
  amountMax: number("amount-max", "Maximum amount, in minor units"),
  metadata
}

const orders: Tailed<Order, typeof filters> = {
  called: "orders",
  idOf: ({ trade_no }) => trade_no,
  columns: columnsOf(declared),
  filters,
  list: (coffer, cursors, flags) => [coffer.orders.list({ ...cursors, ...queryOf(flags) })],
  followed: ({ orders }, flags) => [(after, options) => orders.follow({ after, ...queryOf(flags) }, options)]
}

function queryOf({ amountMax, amountMin, ...own }: Command.Command.Config.Infer<typeof filters>) {
  return { ...withoutNone(own), amount: withoutNone({ gte: amountMin, lte: amountMax }) }
}

const create = command(
  "create",
  {
    does: "Create an order, and print it with the address of its checkout",
    example: "coffer orders create --amount 1999 --out-trade-no cart-4711"
  },
  {
    amount,
    currency,
    outTradeNo: text("out-trade-no", "Your order number; sending it again returns the same order"),
    subject: text("subject", "Shown to the buyer at checkout"),
    notifyUrl: text("notify-url", "Where the events of this order go"),
    returnUrl: text("return-url", "Where the buyer goes after the payment"),
    metadata,
    receiptEmail: text("receipt-email", "Email address for the receipt"),
    locale: oneOf("locale", Locale.literals, "Language of checkout and receipt"),
    capture: oneOf("capture", CaptureMethod.literals, "manual: hold the amount, and charge it by coffer orders capture")
  },
  ({ amount, capture, currency, locale, metadata, notifyUrl, outTradeNo, receiptEmail, returnUrl, subject }) =>
    Effect.gen(function* () {
      const { ask } = yield* connectToWrite()
      const terms = withoutNone({
        currency,
        out_trade_no: outTradeNo,
        subject,
        notify_url: notifyUrl,
        return_url: returnUrl,
        metadata,
        receipt_email: receiptEmail,
        locale,
        capture
      })
      yield* printObject(yield* ask((coffer) => coffer.orders.create({ amount, ...terms })))
    })
)

const story = command(
  "story",
  {
    does: "Show an order's timeline, from the request to the webhook, with durations",
    example: "coffer orders story cart-4711"
  },
  { ref: Argument.String("trade-no") },
  ({ ref }) =>
    Effect.gen(function* () {
      const { ask } = yield* connect()
      const timeline = yield* ask((coffer) => coffer.orders.timeline(ref))
      if (yield* json) return yield* printObject(timeline)
      const print = yield* table(storyColumns)
      yield* print(timeline.entries)
      const more = timeline.truncated ? " There are more: the newest of some kinds are not shown." : ""
      const hidden = timeline.omitted_kinds ?? []
      const less = hidden.length === 0 ? "" : ` The key can't read: ${hidden.join(", ")}.`
      yield* Console.error(`${timeline.entries.length} entries in ${span(timeline.duration_ms)}.${more}${less}`)
    })
)

const storyColumns: ReadonlyArray<Column<TimelineEntry>> = [
  { title: "AT", of: ({ at }) => time(at) },
  { title: "AFTER", of: ({ after_ms }) => span(after_ms) },
  { title: "WHAT", of: ({ kind }) => kind },
  { title: "ID", of: ({ id }) => id },
  { title: "HAPPENED", of: ({ details, text }) => `${inCurrency(text, details)}${balancesIn(details)}` }
]

/** The API writes an entry's amount in minor units. */
const inCurrency = (text: string, { amount, currency }: TimelineEntry["details"]): string =>
  typeof amount === "number" ? text.replace(`${amount} ${currency}`, money(amount, String(currency))) : text

/** The balances of a ledger row. */
const balancesIn = ({ balance_after, balance_before, currency, frozen_after }: TimelineEntry["details"]): string => {
  if (typeof balance_before !== "number" || typeof balance_after !== "number") return ""
  const [before, after] = [money(balance_before, ""), money(balance_after, String(currency))]
  return `; available ${before}→ ${after}, frozen ${money(Number(frozen_after), "")}`
}

const actCommand = actsOn(Argument.String("trade-no").pipe(Argument.withDescription("trade_no or out_trade_no")))

const pay = actCommand(
  "pay",
  { does: "Pay an order as the buyer, in the sandbox", example: "cart-4711 --outcome decline" },
  {
    outcome: oneOf(
      "outcome",
      ["succeed", "decline", "cancel", "fail", "redirect", "succeed_unreported"],
      "Outcome of the payment; succeed by default"
    ),
    paymentMethod: oneOf("payment-method", PaymentMethod.literals, "card by default")
  },
  ({ testHelpers }, ref, { outcome, paymentMethod }) =>
    testHelpers.orders.pay(ref, withoutNone({ outcome, payment_method: paymentMethod }))
)

const dispute = actCommand(
  "dispute",
  { does: "Dispute a payment as the buyer, in the sandbox", example: "cart-4711 --reason fraudulent" },
  {
    reason: text("reason", "Reason of the dispute"),
    amount: number("amount", "Minor units; the whole payment by default")
  },
  ({ testHelpers }, ref, { amount, reason }) => testHelpers.orders.dispute(ref, withoutNone({ amount, reason }))
)

const authorize = actCommand(
  "authorize",
  { does: "Authorize an order with --capture manual as the buyer, in the sandbox", example: "cart-4711" },
  { paymentMethod: oneOf("payment-method", PaymentMethod.literals, "card by default") },
  ({ testHelpers }, ref, { paymentMethod }) =>
    testHelpers.orders.authorize(ref, withoutNone({ payment_method: paymentMethod }))
)

const capture = actCommand(
  "capture",
  { does: "Charge an authorized order; what is not charged is released", example: "cart-4711 --amount 1500" },
  { amount: number("amount", "Minor units; the whole amount by default") },
  ({ orders }, ref, { amount }) => orders.capture(ref, withoutNone({ amount }))
)

const expire = actCommand(
  "expire",
  { does: "Close a pending order, or cancel an authorized one and release its hold", example: "cart-4711" },
  {},
  ({ orders }, ref) => orders.expire(ref)
)

const update = actCommand(
  "update",
  { does: "Update an order's metadata or receipt email", example: "cart-4711 --metadata shelf=A7" },
  { metadata, receiptEmail: text("receipt-email", "Email address for the receipt") },
  ({ orders }, ref, { metadata, receiptEmail }) =>
    orders.update(ref, withoutNone({ metadata, receipt_email: receiptEmail }))
)

const sendReceipt = actCommand(
  "send-receipt",
  { does: "Email the receipt of a paid order", example: "cart-4711 --email buyer@shop.example" },
  { email: text("email", "Recipient; the order's receipt_email by default") },
  ({ orders }, ref, { email }) => orders.sendReceipt(ref, withoutNone({ email }))
)

export const ordersCommand = Command.make("orders").pipe(
  Command.withDescription(
    "Orders: create, get, list, tail, story, pay, authorize, capture, dispute, expire, update, send-receipt, export"
  ),
  Command.withSubcommands([
    create,
    getCommand("orders", "trade-no", (coffer, ref) => coffer.orders.get(ref)),
    listCommand(orders),
    tailCommand(orders),
    story,
    pay,
    authorize,
    capture,
    dispute,
    expire,
    update,
    sendReceipt,
    exportCommand("orders", filters, (coffer, created, flags) => coffer.orders.csv({ ...created, ...queryOf(flags) }))
  ])
)
