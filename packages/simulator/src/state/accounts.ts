/** The settings of an account in Stripe's dashboard, changed by tests. */
import { type Method, methods, takes } from "../facts/currencies.ts"

export interface AccountSettings {
  /** Methods that are switched on. */
  readonly methods: ReadonlyArray<Method>
  /** Its own currency, which wallets accept besides yuan. */
  readonly currency: string
  /** Whether buyers may pay in their own currency, unless a session says. */
  readonly adaptive_pricing: boolean
  /** The answer to a session without a remaining method: a session without methods, or a refusal. */
  readonly without_methods: "session" | "refusal"
}

export const usualSettings: AccountSettings = {
  methods,
  currency: "usd",
  adaptive_pricing: true,
  without_methods: "session"
}

/** The enabled methods that support the currency, limited to those that a caller allows. */
export const methodsFor = (
  { currency: own, methods: has }: AccountSettings,
  currency: string,
  allowed: ReadonlyArray<string> = methods
): ReadonlyArray<Method> => has.filter((method) => allowed.includes(method) && takes(method, currency, own))
