/**
 * One attempt to send a mail with a receipt (silences: O33). A mail is `sending` in the database before the mail server
 * is asked. If its process ends then, nobody knows whether the server has it, and it is not sent again: a buyer never
 * gets the same receipt twice.
 */
import { type Order, OrderCommand } from "@coffer/rules/order/Order"
import { DateTime, Duration, Effect, Result, Schema } from "effect"
import { withoutEntry } from "../aggregate/WriteLoop.ts"
import { Mailer, type MailNotTaken } from "../mail/Mailer.ts"
import { Mail, mailAfter } from "../mail/mails.ts"
import { Logos } from "../merchants/Logos.ts"
import { Orders } from "../orders/Orders.ts"
import { Transactor } from "../platform/commit/Transactor.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { span } from "../platform/runtime/span.ts"
import { OrderLinks } from "../signedUrls/OrderLinks.ts"
import { Instructions } from "../wallets/Instructions.ts"
import { instruct, instructionKind, noEntry } from "../wallets/Wallets.ts"
import { receiptMail } from "./receiptMail.ts"
import type { Receipts } from "./Receipts.ts"
import { makeWhyKept } from "./sandboxMails.ts"

/** A mail that is still being sent after this has lost its process. */
const sendingMax = Duration.minutes(5)
/** A mail server that is away for longer gets the mail no more. */
const triedFor = Duration.days(3)
/** Characters of what a mail server said that merchants are shown. */
const reasonShownMax = 500

/** The mail server has taken the mail, or never will. */
const Ended = Schema.Struct({ mail: Mail, status: Mail.fields.status, error: Mail.fields.error })
type Ended = typeof Ended.Type
const receiptEnded = instructionKind("receipt_ended", Ended)
const endedMail = ({ mail, ...after }: Ended) => mailAfter(mail, { ...after, dueAt: null })

export const makeDeliver = Effect.fnUntraced(function* (open: Receipts["Service"]["show"]) {
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
    yield* Effect.logWarning(`a receipt was not taken by the mail server${isOver ? "" : " and is tried again"}`, {
      mail: mail.id,
      reason
    })
    if (isOver) return yield* giveUp(order, { mail: sending, status: "failed", error: reason })
    yield* end(sending, { status: "due", dueAt: mail.dueAt, error: reason })
  })

  const lose = (mail: Mail, error: string) =>
    Effect.andThen(
      Effect.logError("whether a receipt was sent is not known; it is not sent again", { mail: mail.id, error }),
      end(mail, { status: "unknown", dueAt: null, error })
    )

  // A stop of the service lets the attempt end: its limits are the mail server's.
  return span("Receipts.deliver")(function* (mail: Mail) {
    yield* mail.status === "sending"
      ? lose(mail, "the process ended while the mail was being sent")
      : Effect.uninterruptible(attempt(mail))
  })
})

const isForGood = (mail: Mail, { forGood }: MailNotTaken, now: DateTime.Utc): boolean =>
  forGood || DateTime.isGreaterThan(now, DateTime.addDuration(mail.createdAt, triedFor))

/** The mail as it goes out. */
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
      url: links.signed.receipt(order.tradeNo)
    })
})

/** Tells the order how a mail has ended, with the mail's row or not at all. */
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
        // Of the mail's row: the order was told already, or another worker has looked at the mail since.
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
