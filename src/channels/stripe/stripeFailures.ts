/**
 * How a call to Stripe may fail, by what is known of its effect. Pure.
 *
 * `ChannelUnreachable`: it certainly did nothing. `StripeSilent`: nobody knows what it did. `StripeRefused`: Stripe
 * said no, and did nothing.
 */
import { beginningOf } from "@coffer/model/Text"
import { Schema } from "effect"
import { Stripe } from "stripe"
import { ChannelUnreachable } from "../../channel/Channel.ts"
import { NoTunnel } from "./tunnelAgent.ts"

export class StripeSilent extends Schema.TaggedError<StripeSilent>()("StripeSilent", {
  /** Stripe answered with a failure of its own, which it may repeat for this idempotency key for a day. */
  wasAnswered: Schema.Boolean
}) {}

export class StripeRefused extends Schema.TaggedError<StripeRefused>()("StripeRefused", {
  code: Schema.String,
  message: Schema.String
}) {}

/**
 * Refusals that end without our doing: the operator's balance at Stripe is too low, or the key is for now one of an
 * account that does not have the object.
 */
const passing: ReadonlySet<string> = new Set(["balance_insufficient", "insufficient_funds", "resource_missing"])

/** Whether Stripe will say the same however often it is asked. */
export const isForGood = ({ code }: StripeRefused): boolean => !passing.has(code)

/** Stripe's words for people, as long as we keep them. */
export const reasonOf = ({ message }: Pick<StripeRefused, "message">): string => beginningOf(message, reasonMax)
const reasonMax = 500

export type StripeFailure = ChannelUnreachable | StripeSilent | StripeRefused

/** Why a call failed, as metrics name it. `refused`: Stripe is there, and says no. `proxy`: see `STRIPE_PROXY`. */
export type Verdict = "refused" | "credentials" | "rate_limited" | "crowded" | "unreached" | "silent" | "proxy"

export interface Judged {
  readonly verdict: Verdict
  readonly failure: StripeFailure
  /** What the operator's proxy did. */
  readonly detail?: string
  /** Of `rate_limited`. */
  readonly limit?: RateLimit
}

/** Which of Stripe's limits a call has met. `isOfAll`: other calls of the account meet it as well. */
export interface RateLimit {
  readonly reason: string
  readonly isOfAll: boolean
  readonly retryAfterMillis: number | undefined
}

/** The connection never came to be. */
const neverConnected: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH"])

export const judge = (error: unknown): Judged => {
  if (!(error instanceof Stripe.errors.StripeError)) return silent(false)
  const { code = "", detail, message, statusCode } = error
  if (error instanceof Stripe.errors.StripeConnectionError) {
    if (detail instanceof NoTunnel) return ofProxy(detail.message)
    const cause = typeof detail === "object" && "code" in detail ? String(detail.code) : ""
    return neverConnected.has(cause) ? { verdict: "unreached", failure: new ChannelUnreachable() } : silent(false)
  }
  // An earlier call had this key and other parameters (another PUBLIC_URL or version). Its effect is unknown.
  if (error instanceof Stripe.errors.StripeIdempotencyError) return { ...silent(true), verdict: "refused" }
  if (statusCode === undefined || statusCode >= 500) return silent(true)
  if (statusCode === 401 || statusCode === 403) return { verdict: "credentials", failure: new ChannelUnreachable() }
  if (statusCode === 429) {
    return { verdict: "rate_limited", failure: new ChannelUnreachable(), limit: rateLimitOf(error) }
  }
  // A call with the same idempotency key is still being carried out.
  if (statusCode === 409) return { ...silent(false), verdict: "refused" }
  return { verdict: "refused", failure: new StripeRefused({ code, message }) }
}

/** The operator's proxy opened no way to Stripe, so nothing was sent. */
export const ofProxy = (detail: string): Judged => ({ verdict: "proxy", failure: new ChannelUnreachable(), detail })

const silent = (wasAnswered: boolean): Judged => ({ verdict: "silent", failure: new StripeSilent({ wasAnswered }) })

/** Stripe says which limit it was, and seldom for how long. `lock_timeout`: another call has the object. */
const rateLimitOf = ({ code = "", headers = {} }: Stripe.errors.StripeError): RateLimit => {
  const reason = headers["stripe-rate-limited-reason"] ?? code
  const seconds = Number(headers["retry-after"] ?? Number.NaN)
  return {
    reason: reason.slice(0, reasonMax),
    isOfAll: !/^(endpoint-|resource-specific|lock_timeout)/.test(reason),
    retryAfterMillis: seconds > 0 ? Math.min(seconds, retryAfterMax) * 1_000 : undefined
  }
}
const retryAfterMax = 60
