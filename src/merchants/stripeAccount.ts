/**
 * A merchant's account at Stripe in one environment, as it is stored: its keys are sealed, and bound to their merchant,
 * environment and use. Pure.
 */
import type { Account } from "@coffer/model/Account"
import type { AmountBounds } from "@coffer/rules/order/termsProblem"
import { Schema } from "effect"
import { stripesBounds } from "../channel/amountBounds.ts"
import type { Secrets } from "../platform/runtime/Secrets.ts"

export const StripeAccount = Schema.Struct({
  /** Whether buyers pay through it. Payments that went through it are refunded and disputed there in any case. */
  isActive: Schema.Boolean,
  secretKey: Schema.String,
  webhookSecret: Schema.String,
  /** A connected account of the platform that has the key; null for the account of the key itself. */
  account: Schema.NullOr(Schema.String),
  /** ISO 8601. */
  setAt: Schema.String
})
export type StripeAccount = typeof StripeAccount.Type

/** The purpose for which the keys are sealed. */
/** The amounts that a merchant's channel takes in one payment; undefined where that is any amount. */
export const boundsOf = ({ stripe }: { readonly stripe: StripeAccount | null }): AmountBounds | undefined =>
  stripe?.isActive === true ? stripesBounds : undefined

export const stripeUses = ({ merchantId, mode }: Account) => ({
  secretKey: `${merchantId}/${mode}/stripe/secret_key`,
  webhookSecret: `${merchantId}/${mode}/stripe/webhook_secret`
})

export interface StripeKeys {
  readonly secretKey: string
  readonly webhookSecret: string
}

export const sealStripeKeys = (secrets: Secrets["Service"], account: Account, keys: StripeKeys): StripeKeys => {
  const uses = stripeUses(account)
  return {
    secretKey: secrets.encrypt(keys.secretKey, uses.secretKey),
    webhookSecret: secrets.encrypt(keys.webhookSecret, uses.webhookSecret)
  }
}

/** Throws when they cannot be opened. */
export const openStripeKeys = (secrets: Secrets["Service"], account: Account, sealed: StripeKeys): StripeKeys => {
  const uses = stripeUses(account)
  return {
    secretKey: secrets.decrypt(sealed.secretKey, uses.secretKey),
    webhookSecret: secrets.decrypt(sealed.webhookSecret, uses.webhookSecret)
  }
}
