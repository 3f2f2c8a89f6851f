/**
 * What a shop's plugin asks of Coffer, whichever shop system it is in: orders, the check of events, closing, capture,
 * refunds, and the events that a shop may have missed. It is part of each plugin's package, and imports nothing but
 * the SDK (docs/decisions/0278).
 */
import {
  Coffer,
  type CofferOptions,
  ConflictError,
  type CreateOrder,
  type Event,
  type List,
  type Order,
  type Refund,
  webhooks
} from "@coffer/sdk"

export interface AccountOptions {
  /** `svc_test_…` or `svc_live_…`. It decides the environment. */
  readonly apiKey: string
  /** The service's address with its version: `https://pay.example/v1`. */
  readonly baseUrl: string
  /**
   * The shop's public address for events, which each order names (`notify_url`). Left out: events go to the endpoints
   * of the account, and `webhookSecret` is that endpoint's.
   */
  readonly webhookUrl?: string | undefined
  /** The signing secret, `whsec_…`. Default: the account's, which is asked for and follows rotations. */
  readonly webhookSecret?: string | undefined
  /** Where buyers go after the payment; `{OUT_TRADE_NO}` and `{TRADE_NO}` are filled in. */
  readonly returnUrl?: string | undefined
  /** `manual` only reserves the money, until the shop captures it. Default: `automatic`. */
  readonly capture?: "automatic" | "manual" | undefined
  /** Further options of the client, such as `timeoutMs`. */
  readonly client?: Omit<CofferOptions, "apiKey" | "baseUrl"> | undefined
}

/** What an order is to a shop. A `closed` one cannot be paid: money that comes later goes back by itself. */
export type Standing = "open" | "authorized" | "paid" | "closed"

/** By `paid_at`, since the status goes on to `refunded`. */
export const standingOf = ({ paid_at, status }: Order): Standing => {
  if (paid_at !== null) return "paid"
  if (status === "pending") return "open"
  return status === "authorized" ? "authorized" : "closed"
}

/** What the buyer has paid, in minor units: a capture may be of a part. */
export const paidOf = ({ amount, captured_amount }: Order): number => captured_amount ?? amount

/** Why a payment is not made, for the shop's people. */
export const notPaid = ({ capturing_amount, status }: Order): string =>
  capturing_amount == null
    ? `The buyer has not paid: the order is ${status} at Coffer.`
    : "The bank is still capturing the payment. The shop will hear of it."

/** What the shop's people or buyers are told. */
export class ShopError extends Error {
  override readonly name = "ShopError"
}

export interface Terms {
  /** Our `out_trade_no`: repeated with the same terms it is the same order. */
  readonly number: string
  /** In minor units. */
  readonly amount: number
  /** In any case. */
  readonly currency: string
  readonly subject?: string | undefined
  readonly email?: string | undefined
  readonly returnUrl?: string | undefined
  readonly metadata: Readonly<Record<string, string>>
}

export interface Repayment {
  readonly tradeNo: string
  /** How many refunds of this payment the shop's books have. */
  readonly booked: number
  /** In minor units. */
  readonly amount: number
  readonly reason?: string | undefined
  /** The row of the shop's books that is being written for it. */
  readonly row?: string | undefined
}

/** After this time a call of a plugin has ended, whatever became of it: the client gives up after a minute. */
const callMillisMax = 120_000
const secretMillis = 60_000
/** A refund that failed has used up its number. */
const numbersMax = 100

export class Account {
  readonly coffer: Coffer
  readonly options: AccountOptions
  #secret = { value: "", readAt: -Infinity }

  /** Throws a `TypeError` that names the option that is wrong. */
  constructor(options: AccountOptions) {
    const { apiKey, baseUrl, client, webhookSecret, webhookUrl } = options
    if ((webhookUrl ?? "") === "" && (webhookSecret ?? "") === "")
      throw new TypeError(
        "webhookUrl: expected the shop's public address for events, or the webhookSecret of an endpoint"
      )
    this.coffer = new Coffer({ ...client, apiKey, baseUrl })
    this.options = options
  }

  /** The event, if Coffer has signed these bytes. Throws a `WebhookVerificationError`. */
  async verify(rawBody: string | Uint8Array, headers: Parameters<typeof webhooks.verify>[1]): Promise<Event> {
    return webhooks.verify(rawBody, headers, await this.#signingSecret())
  }

  /** For a day after a rotation each post has both signatures, so a minute's memory misses none. */
  async #signingSecret(): Promise<string> {
    const { webhookSecret } = this.options
    if (webhookSecret !== undefined && webhookSecret !== "") return webhookSecret
    if (Date.now() - this.#secret.readAt > secretMillis) {
      const { secret } = await this.coffer.webhookSigningSecret.get()
      this.#secret = { value: secret, readAt: Date.now() }
    }
    return this.#secret.value
  }

  async open({ amount, currency, email, metadata, number, returnUrl, subject }: Terms): Promise<Order> {
    const { capture, webhookUrl } = this.options
    const terms = {
      amount,
      currency: currency.toUpperCase() as NonNullable<CreateOrder["currency"]>,
      out_trade_no: number,
      subject,
      notify_url: webhookUrl,
      return_url: returnUrl,
      receipt_email: email,
      metadata,
      ...(capture === "manual" ? { capture } : {})
    }
    return this.coffer.orders.create(terms)
  }

  async read(tradeNo: string): Promise<Order> {
    return this.coffer.orders.get(tradeNo)
  }

  /** Takes the money that is reserved. An order that is not `authorized` is answered as it is. */
  async capture(tradeNo: string): Promise<Order> {
    const order = await this.read(tradeNo)
    return standingOf(order) === "authorized" ? this.coffer.orders.capture(tradeNo) : order
  }

  /**
   * Ends an order, so that nobody pays it any more, and answers it as it is then: the buyer may have been faster.
   * Throws while the buyer is in a wallet's app, and while the bank has not released what it holds.
   */
  async close(tradeNo: string): Promise<Order> {
    try {
      const order = await this.coffer.orders.expire(tradeNo)
      if (standingOf(order) === "authorized")
        throw new ShopError("The bank takes a moment to release the amount. Try again in a minute.")
      return order
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
      if (error.reason === "buyer_busy")
        throw new ShopError("The buyer is paying in another app. Try again in a minute.", { cause: error })
      const order = await this.read(tradeNo)
      if (standingOf(order) === "open") throw error
      return order
    }
  }

  /**
   * Refunds once, even if the answer was lost and a person asks again. The number is the refund's place among those in
   * the shop's books, so what is asked again has the same number. Two who ask at once get one refund, and the second is
   * told so.
   */
  async refund({ booked, row, ...call }: Repayment): Promise<Refund> {
    const attempt = crypto.randomUUID()
    const metadata = { attempt, asked_at: String(Date.now()), ...(row === undefined ? {} : { shop_refund: row }) }
    for (let place = booked + 1; place <= booked + numbersMax; place++) {
      const refund = await this.#ask({ ...call, metadata, number: `${call.tradeNo}.${place}` })
      if (refund.metadata["attempt"] === attempt) return refund
      if (refund.status === "failed") continue
      if (isUnderWay(refund)) throw new ShopError("A refund of this payment is under way. Try again in two minutes.")
      return this.coffer.refunds.update(refund.refund_no, { metadata })
    }
    throw new ShopError(`${numbersMax} refunds of this payment failed.`)
  }

  async #ask({ amount, metadata, number, reason, tradeNo }: RefundCall): Promise<Refund> {
    try {
      return await this.coffer.refunds.create({ trade_no: tradeNo, out_refund_no: number, amount, reason, metadata })
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
      const [earlier] = (await this.coffer.refunds.list({ out_refund_no: number })).data
      if (earlier === undefined || earlier.amount === amount) throw error
      if (earlier.status === "failed") return earlier
      const made = `${(earlier.amount / 100).toFixed(2)} ${earlier.currency}`
      throw new ShopError(`An earlier refund of ${made} was made, but its answer was lost. Repeat that one first.`, {
        cause: error
      })
    }
  }

  /** What happened since then, newest first. An event only says what to read. */
  since(time: Date): List<Event> {
    return this.coffer.events.list({ created: { gte: time }, limit: 100 })
  }
}

interface RefundCall extends Omit<Repayment, "booked" | "row"> {
  readonly number: string
  readonly metadata: Readonly<Record<string, string>>
}

/** Whether a call of a plugin may still be about to write this refund into the shop's books. */
export const isUnderWay = ({ metadata }: Refund): boolean =>
  metadata["asked_at"] !== undefined && Date.now() - Number(metadata["asked_at"]) < callMillisMax
