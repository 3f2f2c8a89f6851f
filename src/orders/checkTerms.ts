/**
 * What of a new order's terms depends on more than the field itself: the environment, the merchant, the operator's
 * settings (spec: Orders, rule 1; General rules, 5). Named by field, in the order in which a reader meets them.
 */
import type { CreateOrder } from "@coffer/contract/Orders"
import type { Mode } from "@coffer/model/Ids"
import { patchProblem } from "@coffer/model/Metadata"
import { isHttpUrl, isPublicHttpsUrl } from "@coffer/rules/delivery/address"
import { Effect, Schema } from "effect"
import type { Merchant } from "../merchants/Merchants.ts"

/** 400 `invalid_request`: the parameter and what is wrong with it. */
export class InvalidField extends Schema.TaggedError<InvalidField>()("InvalidField", {
  param: Schema.String,
  problem: Schema.String
}) {}

interface Situation {
  readonly mode: Mode
  readonly merchant: Merchant
  readonly allowPrivateWebhooks: boolean
}

export const checkTerms = Effect.fnUntraced(function* (terms: CreateOrder, situation: Situation) {
  const { merchant, mode } = situation
  const currency = terms.currency ?? "USD"
  if (mode === "live" && !merchant.live_currencies.includes(currency)) {
    return yield* new InvalidField({ param: "currency", problem: `${currency} is not enabled for live orders` })
  }
  yield* checkUrl("notify_url", terms.notify_url, situation)
  if (mode === "live" && !terms.notify_url && merchant.modes.live.default_notify_url === null) {
    return yield* new InvalidField({
      param: "notify_url",
      problem: "a live order needs a notification address: send one, or configure an endpoint"
    })
  }
  yield* checkUrl("return_url", terms.return_url, situation)
  const problem = patchProblem({}, terms.metadata ?? {})
  if (problem !== undefined) return yield* new InvalidField(problem)
})

/** Live: public HTTPS. Sandbox: http too, and private addresses where the operator allows them (silences: O18, O19). */
export const checkUrl = (
  param: string,
  url: string | null | undefined,
  { mode }: Pick<Situation, "mode" | "allowPrivateWebhooks">
) => {
  if (url === null || url === undefined) return Effect.void
  if (mode === "live") {
    return isPublicHttpsUrl(url) ? Effect.void : new InvalidField({ param, problem: "must be a public HTTPS address" })
  }
  return isHttpUrl(url) ? Effect.void : new InvalidField({ param, problem: "must be an http or https address" })
}
