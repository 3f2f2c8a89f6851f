/**
 * Front door to receipts: what the page shows, and sending one mail (spec: Orders, send_receipt; silences: O20, O33). A
 * mail is `sending` in the database before the mail server is asked. If its process ends then, it is unknown whether
 * the mail server has it, and it is not sent again: a buyer never gets the same receipt twice.
 */
import type { TradeNo } from "@coffer/model/Ids"
import { sandboxMailsPerDayMax } from "@coffer/model/Limits"
import { normalEmail } from "@coffer/rules/people/signIn"
import { type Order, OrderCommand, type CreditedOrder } from "@coffer/rules/order/Order"
import { Context, DateTime, Duration, Effect, Layer, Result, Schema } from "effect"
import { withoutEntry, type WriteFailure } from "../aggregate/WriteLoop.ts"
import { ConfirmedAddresses } from "../../shared/mail/ConfirmedAddresses.ts"
import { Mailer, type MailNotTaken } from "../../shared/mail/Mailer.ts"
import { Mail, mailAfter } from "../../shared/mail/mails.ts"
import { Logos } from "../../access/merchants/Logos.ts"
import { type Merchant, Merchants } from "../../access/merchants/Merchants.ts"
import { shopOf } from "../../access/merchants/shopOf.ts"
import type { OrderNotFound } from "../orders/OrderCommands.ts"
import { Orders } from "../orders/Orders.ts"
import type { Shop } from "../../shared/pages/shop.ts"
import { type NotCommitted, type StaleVersion } from "../../platform/commit/Change.ts"
import { Transactor } from "../../platform/commit/Transactor.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"
import { instruct, instructionKind, Instructions } from "../wallets/Instructions.ts"
import { noEntry } from "../wallets/Wallets.ts"
import { receiptMail } from "./receiptMail.ts"
import { ReceiptStore } from "./ReceiptStore.ts"
import { mailSettings } from "../../shared/mail/mailSettings.ts"

/** The order is not paid. */
export class NoReceipt extends Schema.TaggedError<NoReceipt>()("NoReceipt", { tradeNo: Schema.String }) {}

export interface Shown {
  readonly order: CreditedOrder
  readonly shop: Shop
}

export type ShowFailure = NoReceipt | OrderNotFound | WriteFailure

export class Receipts extends Context.Service<
  Receipts,
  {
    /** The receipt of an order; its first view gives it a number. */
    readonly show: (tradeNo: TradeNo) => Effect.Effect<Shown, ShowFailure>
    /** Makes one attempt to send a mail that is due, and records how that went. */
    readonly deliver: (mail: Mail) => Effect.Effect<void, ShowFailure | NotCommitted | StaleVersion>
  }
>()("@coffer/receipts/Receipts") {}

export const layer = Layer.effect(
  Receipts,
  Effect.gen(function* () {
    const services = yield* receiptServices
    const open = show(services)
    return Receipts.of({ show: open, deliver: yield* makeDeliver(open) })
  })
)

const receiptServices = Effect.gen(function* () {
  return {
    orders: yield* Orders,
    clocks: yield* MerchantClocks,
    merchants: yield* Merchants,
    store: yield* ReceiptStore
  }
})

type ReceiptServices = Effect.Success<typeof receiptServices>

const show = ({ clocks, merchants, orders, store }: ReceiptServices) =>
  span("Receipts.show")(function* (tradeNo: TradeNo) {
    const order = yield* requireCredited(yield* orders.byTradeNo(tradeNo))
    const shop = shopOf(yield* Effect.catchTags(merchants.find(order.merchantId), { MerchantNotFound: Effect.die }))
    if (order.receipt?.number) return { order, shop }
    const numbered = Effect.gen(function* () {
      const number = yield* store.nextNumber(order, yield* currentTime)
      return yield* orders
        .perform(order, OrderCommand.cases.NumberReceipt.make({ number }), noEntry)
        .pipe(Effect.catchTags({ ...withoutEntry, RefundRefused: Effect.die, OrderConflict: Effect.die }))
    })
    // The page does not run on the merchant's clock, and the number has the month.
    return { order: yield* requireCredited(yield* clocks.within(order, numbered)), shop }
  })

const requireCredited = (order: Order): Effect.Effect<CreditedOrder, NoReceipt> =>
  "paymentId" in order ? Effect.succeed(order) : Effect.fail(new NoReceipt({ tradeNo: order.tradeNo }))

// Sending a mail ----------------------------------------------------------------

/** A mail that is still being sent after this has lost its process. */
const sendingMax = Duration.minutes(5)
/** After this long without a mail server the mail is given up. */
const triedFor = Duration.days(3)
/** Characters of a mail server's answer that merchants see. */
const reasonShownMax = 500

/** The mail server has accepted the mail, or never will. */
const Ended = Schema.Struct({ mail: Mail, status: Mail.fields.status, error: Mail.fields.error })
type Ended = typeof Ended.Type
const receiptEnded = instructionKind("receipt_ended", Ended)
const endedMail = ({ mail, ...after }: Ended) => mailAfter(mail, { ...after, dueAt: null })

const makeDeliver = Effect.fnUntraced(function* (open: Receipts["Service"]["show"]) {
  const transactor = yield* Transactor
  const compose = yield* makeCompose
  const { giveUp, confirm } = yield* makeTell
  const mailer = yield* Mailer
  const whyKept = yield* makeWhyKept

  const end = (mail: Mail, after: Parameters<typeof mailAfter>[1]) =>
    Effect.catchTags(transactor.commit(mail.id, [mailAfter(mail, after)]), { AlreadyExists: Effect.die })

  const attempt = Effect.fnUntraced(function* (mail: Mail) {
    const now = yield* currentTime
    const { order, shop } = yield* open(mail.tradeNo)
    const kept = yield* whyKept(order, mail)
    if (kept !== undefined) return yield* giveUp(order, { mail, status: "kept", error: kept })
    yield* end(mail, { status: "sending", dueAt: DateTime.addDuration(now, sendingMax), error: mail.error })
    const sending: Mail = { ...mail, version: mail.version + 1 }
    const sent = yield* Effect.result(mailer.send(compose({ order, shop }, mail)))
    if (Result.isSuccess(sent)) return yield* confirm(order, sending)
    if (sent.failure._tag === "MailUncertain") return yield* lose(sending, sent.failure.reason)
    const reason = asLine(sent.failure.reason)
    const isOver = isForGood(mail, sent.failure, now)
    yield* Effect.logWarning(`a receipt was not accepted by the mail server${isOver ? "" : " and is tried again"}`, {
      mail: mail.id,
      reason: withoutAddress(mail, reason)
    })
    if (isOver) return yield* giveUp(order, { mail: sending, status: "failed", error: reason })
    yield* end(sending, { status: "due", dueAt: mail.dueAt, error: reason })
  })

  const lose = (mail: Mail, error: string) =>
    Effect.andThen(
      Effect.logError("it is unknown whether a receipt was sent; it is not sent again", {
        mail: mail.id,
        error: withoutAddress(mail, error)
      }),
      end(mail, { status: "unknown", dueAt: null, error })
    )

  // Stopping the service lets the attempt end, within the limits of the mail server.
  return span("Receipts.deliver")(function* (mail: Mail) {
    yield* mail.status === "sending"
      ? lose(mail, "the process ended while the mail was being sent")
      : Effect.uninterruptible(attempt(mail))
  })
})

/** Mail servers name the buyer in their answers. The log of the service goes to places where nothing is erased. */
const withoutAddress = ({ recipient }: Mail, reason: string) => reason.replaceAll(recipient, "[recipient]")

const isForGood = (mail: Mail, { forGood }: MailNotTaken, now: DateTime.Utc): boolean =>
  forGood || DateTime.isGreaterThan(now, DateTime.addDuration(mail.createdAt, triedFor))

/** The mail as it is sent. */
const makeCompose = Effect.gen(function* () {
  const links = yield* OrderLinks
  const logos = yield* Logos
  return ({ order, shop }: Effect.Success<ReturnType<Receipts["Service"]["show"]>>, { id, recipient }: Mail) =>
    receiptMail({
      // Without a locale the mail is in Chinese (spec: Orders, locale).
      language: order.locale ?? "zh",
      shop,
      logoUrl: shop.logo === null ? undefined : logos.urlOf(shop.logo),
      order,
      mailId: id,
      recipient,
      url: links.signed.receipt(order)
    })
})

/** Records the outcome of a mail at its order, together with the mail's row. */
const makeTell = Effect.gen(function* () {
  const orders = yield* Orders
  yield* (yield* Instructions).define(receiptEnded, (ended) =>
    Effect.succeed({ ...noEntry, changes: [endedMail(ended)] })
  )

  const tell = (order: Order, command: OrderCommand, ended: Ended) => {
    const entry = { ...noEntry, changes: [endedMail(ended)], instructions: [instruct(receiptEnded, ended)] }
    return orders.perform(order, command, entry).pipe(
      Effect.asVoid,
      Effect.catchTags({
        ...withoutEntry,
        // The mail's row is stale: the order has the outcome already, or another worker has taken the mail since.
        StaleVersion: () => Effect.void,
        RefundRefused: Effect.die,
        OrderConflict: Effect.die
      })
    )
  }

  return {
    confirm: Effect.fnUntraced(function* (order: Order, mail: Mail) {
      const confirmation = OrderCommand.cases.ConfirmReceiptSent.make({ at: yield* currentTime })
      yield* tell(order, confirmation, { mail, status: "sent", error: null })
    }),
    giveUp: (order: Order, ended: Ended & { readonly error: string }) =>
      tell(order, OrderCommand.cases.FailReceipt.make({ reason: ended.error }), ended)
  }
})

/** Text of one line, as merchants read it (silences: G17). */
const asLine = (text: string): string => {
  // oxlint-disable-next-line no-control-regex -- what is cut
  const clean = text.toWellFormed().replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]+/g, " ")
  return Array.from(clean.trim()).slice(0, reasonShownMax).join("")
}

// Which mails a sandbox may send ------------------------------------------------

const notConfirmed = "kept, not sent: a sandbox only sends emails to confirmed addresses"
const tooMany = `kept, not sent: a sandbox sends up to ${sandboxMailsPerDayMax} emails per day`

/**
 * Why the mail is kept back; undefined when it may go out, and then it is counted. Sandboxes are open to all, and the
 * mails come from the operator's own domain. So a sandbox sends mails only to addresses that the operator has confirmed
 * as the merchant's, and a limited number a day of real time (silences: O42). Where mails are written to files, all
 * are.
 */
const makeWhyKept = Effect.gen(function* () {
  const store = yield* ReceiptStore
  const merchants = yield* Merchants
  const addresses = yield* ConfirmedAddresses
  const { smtpUrl } = (yield* Settings).of(mailSettings)

  const isConfirmed = Effect.fnUntraced(function* (merchant: Merchant, recipient: string) {
    if (isListed(merchant, recipient)) return true
    const { merchant_id, support_email } = merchant
    if (support_email === null || normalEmail(support_email) !== normalEmail(recipient)) return false
    return yield* addresses.has(merchant_id, support_email)
  })

  return Effect.fnUntraced(function* ({ merchantId, mode }: Order, { error, recipient }: Mail) {
    if (mode === "live" || smtpUrl === undefined) return undefined
    const merchant = yield* Effect.catchTags(merchants.find(merchantId), { MerchantNotFound: Effect.die })
    if (!(yield* isConfirmed(merchant, recipient))) return notConfirmed
    // A mail that was tried before is counted already.
    return error !== null || (yield* store.takeMail(merchantId)) ? undefined : tooMany
  })
})

const isListed = ({ modes }: Merchant, recipient: string): boolean => {
  const address = normalEmail(recipient)
  return modes.sandbox.mail_recipients
    .map(normalEmail)
    .some((each) => (each.startsWith("@") ? address.slice(address.lastIndexOf("@")) === each : address === each))
}
