/**
 * The merchants of a received event: the merchant of the address, or those with the connected account that the event
 * names.
 */
import type { Account } from "@coffer/model/Account"
import { Effect } from "effect"
import type { Stripe } from "stripe"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { openStripeKeys, type StripeAccount, stripeAccountIn } from "./StripeClient.ts"
import { StripeEvents } from "./StripeEvents.ts"

/** Merchants' accounts at Stripe, and the merchants of an event. */
export const makePayees = Effect.gen(function* () {
  const merchants = yield* Merchants
  const secrets = yield* Secrets
  const events = yield* StripeEvents
  const accountAt = ({ merchantId, mode }: Account) =>
    Effect.match(merchants.find(merchantId), {
      onFailure: () => null,
      onSuccess: ({ modes }) => stripeAccountIn(modes[mode].channel_accounts)
    })
  /**
   * The merchant of this address, or merchants with the connected account that the event names. The latter only if
   * their signing secret is this one, so that a holder of another secret cannot report about them.
   */
  const payeesOf = Effect.fnUntraced(function* (
    at: Account,
    { account, livemode }: Stripe.Event,
    own: Pick<StripeAccount, "account" | "webhookSecret">
  ) {
    if (livemode !== (at.mode === "live")) return []
    if ((account ?? null) === own.account) return [at]
    if (typeof account !== "string") return []
    const found: Array<Account> = []
    for (const merchantId of yield* events.merchantsOf(at.mode, account)) {
      const payee = { merchantId, mode: at.mode }
      const kept = yield* accountAt(payee)
      if (kept?.account !== account) continue
      if (openStripeKeys(secrets, payee, kept).webhookSecret === own.webhookSecret) found.push(payee)
    }
    return found
  })

  return { accountAt, payeesOf }
})
