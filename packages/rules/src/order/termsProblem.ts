/**
 * The checks of a new order's terms that depend on more than the field itself: on the environment and the merchant
 * (spec: Orders, rule 1; General rules, 5). Returns the first problem, in the documented order of the fields. Pure.
 */
import type { Mode } from "@coffer/model/Ids"
import { type MetadataPatch, patchProblem } from "@coffer/model/Metadata"
import { type Currency, twoDecimals } from "@coffer/model/Money"
import { urlProblem } from "../delivery/urlProblem.ts"
import { InvalidField } from "../InvalidField.ts"

/** The minimum and maximum of a channel's payment, in minor units. */
export type AmountBounds = Readonly<Record<Currency, { readonly min: number; readonly max: number }>>

export interface Terms {
  readonly amount: number
  readonly currency: Currency
  readonly notifyUrl: string | null
  readonly returnUrl: string | null
  readonly metadata: MetadataPatch
}

export interface Situation {
  readonly mode: Mode
  readonly liveCurrencies: ReadonlyArray<Currency>
  /** Whether the operator allows sandbox webhooks to private addresses. */
  readonly privateAllowed: boolean
  /** The targets that may replace `notify_url`, and whether the merchant has one. */
  readonly otherTarget: string
  readonly hasOtherTarget: boolean
  /** The channel's limits; without them every order amount is accepted. */
  readonly amountBounds?: AmountBounds | undefined
}

export const termsProblem = (terms: Terms, situation: Situation): InvalidField | undefined =>
  currencyProblem(terms.currency, situation) ??
  amountProblem(terms, situation.amountBounds) ??
  urlProblem("notify_url", terms.notifyUrl, situation) ??
  targetProblem(terms, situation) ??
  formProblem(terms, situation)

/** The part that depends on no setting: terms that no order could ever have had. */
export const formProblem = (
  terms: Pick<Terms, "returnUrl" | "metadata">,
  { mode }: Pick<Situation, "mode">
): InvalidField | undefined =>
  // Only the buyer's browser opens it: a shop under development may be at localhost.
  urlProblem("return_url", terms.returnUrl, { mode, privateAllowed: true }) ?? metadataProblem(terms)

/** Sandbox may use all three; live only those that the operator enabled (spec: General rules, 5). */
export const currencyProblem = (
  currency: Currency,
  { liveCurrencies, mode }: Pick<Situation, "mode" | "liveCurrencies">
): InvalidField | undefined =>
  mode === "live" && !liveCurrencies.includes(currency)
    ? new InvalidField({
        param: "currency",
        problem: `${currency} is not enabled for this merchant's live environment`
      })
    : undefined

/** An amount that the channel would not accept: no buyer could pay the order. */
export const amountProblem = (
  { amount, currency }: Pick<Terms, "amount" | "currency">,
  bounds: AmountBounds | undefined
): InvalidField | undefined => {
  if (bounds === undefined) return undefined
  const { max, min } = bounds[currency]
  if (amount >= min && amount <= max) return undefined
  const [word, bound] = amount < min ? (["least", min] as const) : (["most", max] as const)
  const problem = `must be at ${word} ${bound} (${twoDecimals(bound)} ${currency}), as the payment channel says`
  return new InvalidField({ param: "amount", problem })
}

const targetProblem = (
  { notifyUrl }: Terms,
  { hasOtherTarget, mode, otherTarget }: Situation
): InvalidField | undefined =>
  mode === "live" && notifyUrl === null && !hasOtherTarget
    ? new InvalidField({ param: "notify_url", problem: `is required in live mode where there is no ${otherTarget}` })
    : undefined

const metadataProblem = ({ metadata }: Pick<Terms, "metadata">): InvalidField | undefined => {
  const problem = patchProblem({}, metadata)
  return problem === undefined ? undefined : new InvalidField(problem)
}
