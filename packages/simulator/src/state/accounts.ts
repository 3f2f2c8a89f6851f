/** The settings of an account, as its owner has them in Stripe's dashboard. A test changes them. */
import { type Method, methods, takes } from "../facts/currencies.ts"

export interface AccountSettings {
  /** Methods that are switched on. */
  readonly methods: ReadonlyArray<Method>
  /** Its own currency, which the wallets take besides yuan. */
  readonly currency: string
  /** Whether buyers may pay in their own currency, where a session does not say. */
  readonly adaptive_pricing: boolean
  /** The answer to a session for which no method is left: a session without methods, or a refusal. */
  readonly without_methods: "session" | "refusal"
}

export const usualSettings: AccountSettings = {
  methods,
  currency: "usd",
  adaptive_pricing: true,
  without_methods: "session"
}

/** Those of the methods that a caller allows, or of all, that the account has and that take the currency. */
export const methodsFor = (
  { currency: own, methods: has }: AccountSettings,
  currency: string,
  allowed: ReadonlyArray<string> = methods
): ReadonlyArray<Method> => has.filter((method) => allowed.includes(method) && takes(method, currency, own))
