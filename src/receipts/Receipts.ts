/** Front door to receipts: what the page shows, and sending one mail (spec: Orders, send_receipt; silences: O20). */
import type { TradeNo } from "@coffer/model/Ids"
import { type Order, OrderCommand, type SettledOrder } from "@coffer/rules/order/Order"
import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { withoutEntry, type WriteFailure } from "../aggregate/WriteLoop.ts"
import { Mailer } from "../mail/Mailer.ts"
import { Mail, mailAfter } from "../mail/mails.ts"
import { Logos } from "../merchants/Logos.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { shopOf } from "../merchants/shopOf.ts"
import type { OrderNotFound } from "../orders/OrderCommands.ts"
import { Orders } from "../orders/Orders.ts"
import type { Shop } from "../pages/shop.ts"
import { type NotCommitted, type StaleVersion } from "../platform/commit/Change.ts"
import { Transactor } from "../platform/commit/Transactor.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { MerchantClocks } from "../platform/runtime/MerchantClocks.ts"
import { span } from "../platform/runtime/span.ts"
import { OrderLinks } from "../signedUrls/OrderLinks.ts"
import { Instructions } from "../wallets/Instructions.ts"
import { instruct, instructionKind, noEntry } from "../wallets/Wallets.ts"
import { receiptMail } from "./receiptMail.ts"
import { ReceiptNumbers } from "./ReceiptNumbers.ts"

/** The order is not paid. */
export class NoReceipt extends Schema.TaggedError<NoReceipt>()("NoReceipt", { tradeNo: Schema.String }) {}

export interface Shown {
  readonly order: SettledOrder
  readonly shop: Shop
}

type ShowFailure = NoReceipt | OrderNotFound | WriteFailure

export class Receipts extends Context.Service<
  Receipts,
  {
    /** The receipt of an order; its first view gives it a number. */
    readonly show: (tradeNo: TradeNo) => Effect.Effect<Shown, ShowFailure>
    /** Makes one attempt to send a mail that is due, and records how that went. */
    readonly deliver: (mail: Mail) => Effect.Effect<void, ShowFailure | NotCommitted | StaleVersion>
  }
>()("@coffer/receipts/Receipts") {}

/** A mail that is still being sent after this has lost its process. */
const sendingMax = Duration.minutes(5)
/** A mail server that is away for longer gets the mail no more. */
const triedFor = Duration.days(3)

export const layer = Layer.effect(
  Receipts,
  Effect.gen(function* () {
    const services = yield* receiptServices
    yield* (yield* Instructions).define(receiptSent, (mail) =>
      Effect.succeed({ ...noEntry, changes: [sentMail(mail)] })
    )
    return Receipts.of({ show: show(services), deliver: deliver(services) })
  })
)

/** The mail server has taken it. */
const receiptSent = instructionKind("receipt_sent", Mail)
const sent = { status: "sent", dueAt: null, error: null } as const
const sentMail = (mail: Mail) => mailAfter(mail, sent)

const receiptServices = Effect.gen(function* () {
  return {
    orders: yield* Orders,
    clocks: yield* MerchantClocks,
    merchants: yield* Merchants,
    numbers: yield* ReceiptNumbers,
    links: yield* OrderLinks,
    logos: yield* Logos,
    mailer: yield* Mailer,
    transactor: yield* Transactor
  }
})

type ReceiptServices = Effect.Success<typeof receiptServices>

const show = ({ clocks, merchants, numbers, orders }: ReceiptServices) =>
  span("Receipts.show")(function* (tradeNo: TradeNo) {
    const order = yield* settled(yield* orders.byTradeNo(tradeNo))
    const shop = shopOf(yield* Effect.catchTags(merchants.find(order.merchantId), { MerchantNotFound: Effect.die }))
    if (order.receipt?.number) return { order, shop }
    const numbered = Effect.gen(function* () {
      const number = yield* numbers.next(order, yield* currentTime)
      return yield* orders
        .perform(order, OrderCommand.cases.NumberReceipt.make({ number }), noEntry)
        .pipe(Effect.catchTags({ ...withoutEntry, RefundRefused: Effect.die, OrderConflict: Effect.die }))
    })
    // Whoever opens the page asks under no merchant's clock, and the number has the month.
    return { order: yield* settled(yield* clocks.within(order, numbered)), shop }
  })

const settled = (order: Order): Effect.Effect<SettledOrder, NoReceipt> =>
  "paymentId" in order ? Effect.succeed(order) : Effect.fail(new NoReceipt({ tradeNo: order.tradeNo }))

/**
 * A mail is `sending` in the database before the mail server is asked. If its process ends then, nobody knows whether
 * the server has it, and it is not sent again: a buyer never gets the same receipt twice.
 */
const deliver = (services: ReceiptServices) => {
  const { links, logos, mailer, orders, transactor } = services
  const open = show(services)

  const end = (mail: Mail, after: Parameters<typeof mailAfter>[1]) =>
    Effect.catchTags(transactor.commit(mail.id, [mailAfter(mail, after)]), { AlreadyExists: Effect.die })

  const confirm = Effect.fnUntraced(function* (order: Order, mail: Mail) {
    const confirmation = OrderCommand.cases.ConfirmReceiptSent.make({ at: yield* currentTime })
    yield* orders
      .perform(order, confirmation, {
        ...noEntry,
        changes: [sentMail(mail)],
        instructions: [instruct(receiptSent, mail)]
      })
      .pipe(
        Effect.catchTags({
          ...withoutEntry,
          // Of the mail's row: it was confirmed already, or another worker has looked at it since.
          StaleVersion: () => Effect.void,
          RefundRefused: Effect.die,
          OrderConflict: Effect.die
        })
      )
  })

  const attempt = Effect.fnUntraced(function* (mail: Mail) {
    const now = yield* currentTime
    const { order, shop } = yield* open(mail.tradeNo)
    yield* end(mail, { status: "sending", dueAt: DateTime.addDuration(now, sendingMax), error: mail.error })
    const sending: Mail = { ...mail, version: mail.version + 1 }
    // Without a locale the mail is in Chinese (spec: Orders, locale).
    const language = order.locale ?? "zh"
    const url = links.signed.receipt(order.tradeNo)
    const { id: mailId, recipient } = mail
    const logoUrl = shop.logo === null ? undefined : logos.urlOf(shop.logo)
    yield* mailer.send(receiptMail({ language, shop, logoUrl, order, mailId, recipient, url })).pipe(
      Effect.andThen(confirm(order, sending)),
      Effect.catchTags({
        MailNotTaken: ({ forGood, reason }) => {
          const isOver = forGood || DateTime.isGreaterThan(now, DateTime.addDuration(mail.createdAt, triedFor))
          return Effect.andThen(
            Effect.logWarning(`a receipt was not taken by the mail server${isOver ? "" : " and is tried again"}`, {
              mail: mail.id,
              reason
            }),
            end(
              sending,
              isOver ? { ...over("failed"), error: reason } : { status: "due", dueAt: mail.dueAt, error: reason }
            )
          )
        },
        MailUncertain: ({ reason }) => lose(sending, reason)
      })
    )
  })

  const lose = (mail: Mail, error: string) =>
    Effect.andThen(
      Effect.logError("whether a receipt was sent is not known; it is not sent again", { mail: mail.id, error }),
      end(mail, { ...over("unknown"), error })
    )

  // A stop of the service lets the attempt end: its limits are the mail server's.
  return span("Receipts.deliver")(function* (mail: Mail) {
    yield* mail.status === "sending"
      ? lose(mail, "the process ended while the mail was being sent")
      : Effect.uninterruptible(attempt(mail))
  })
}

const over = (status: "failed" | "unknown") => ({ status, dueAt: null }) as const
