/**
 * The channel that takes a merchant's payments in one environment (docs/architecture.md, section 7). The operator sets
 * it; keys are never shown again.
 */
import { optional, withoutNulls } from "@coffer/model/optional"
import { OneLine } from "@coffer/model/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { Conflict, InvalidRequest, MerchantNotFound, ProcessorError } from "./Errors.ts"
import { anyMode, kind, merchantId, ofMerchant, orNull, text, withExample } from "./fields.ts"
import { sampleIds } from "./sampleIds.ts"
import { needsApproval } from "./Operators.ts"

/** Figures as in `src/channels/stripe/StripePayments.ts`. */
export const channelBoundsText =
  "Where Stripe takes the payments, it takes at least 50 (0.50 USD), 400 (4.00 HKD) or 400 (4.00 CNY), and at most " +
  "99999999 (999,999.99) in each currency; other amounts are 400 for `amount`."

const channel = Schema.Literals(["sandbox", "stripe", "none"]).annotate({
  description:
    "The channel that takes the payments: `sandbox`, the pretended bank, in the sandbox alone; `stripe`; or `none`, " +
    "in the live environment alone."
})

const keyLengthMax = 255
/** A wrong value is not repeated: it may be a key. */
const keyLike = (pattern: RegExp, expected: string) =>
  OneLine(1, keyLengthMax).check(Schema.isPattern(pattern, { expected }))

export const ChannelResource = withExample(
  Schema.Struct({
    object: kind("channel"),
    merchant_id: merchantId,
    mode: anyMode,
    channel,
    account: orNull(Schema.String, "The connected account at Stripe; null for the account of the key itself."),
    has_keys: Schema.Boolean.annotate({
      description: "Whether keys of Stripe are kept. Payments through them are refunded and disputed there."
    }),
    set_at: orNull(Schema.String, "When the keys were last set; null without keys."),
    webhook_url: text("Where Stripe has to send the events of this merchant and environment.")
  }).annotate({
    identifier: "Channel",
    description: "The channel that takes a merchant's payments in one environment."
  }),
  {
    object: "channel",
    merchant_id: sampleIds.merchant,
    mode: "live",
    channel: "stripe",
    account: null,
    has_keys: true,
    set_at: "2026-11-20T08:05:00.000Z",
    webhook_url: "https://pay.example/channels/stripe/m7Qk2v"
  }
)
export type ChannelResource = typeof ChannelResource.Encoded

export const SetChannel = withoutNulls(
  Schema.Struct({
    channel,
    secret_key: optional(
      keyLike(/^[sr]k_(test|live)_\w+$/, "a secret or restricted key of Stripe"),
      "A secret or restricted key of Stripe: a test key for the sandbox, a live key for live. Left out, the one that " +
        "is kept stays."
    ),
    webhook_secret: optional(
      keyLike(/^whsec_\S+$/, "a signing secret of Stripe, which begins with whsec_"),
      "The signing secret of the endpoint at Stripe that has `webhook_url`. Left out, the one that is kept stays."
    ),
    account: Schema.optionalKey(
      orNull(
        keyLike(/^acct_\w+$/, "the number of an account at Stripe, which begins with acct_"),
        "A connected account, for a platform's key. Null: the account of the key itself. Left out, it stays."
      )
    )
  }).annotate({ examples: [{ channel: "stripe", secret_key: "rk_live_xxxx", webhook_secret: "whsec_xxxx" }] }),
  ["account"]
)
export type SetChannel = typeof SetChannel.Type

const path = "/operator/v1/merchants/:merchant_id/channels/:mode"
const params = { ...ofMerchant, mode: anyMode }

export class ChannelsGroup extends HttpApiGroup.make("channels")
  .add(
    HttpApiEndpoint.get("get", path, {
      params,
      success: enveloped(ChannelResource),
      error: MerchantNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read who takes a merchant's payments",
        description: "Keys are never shown; `webhook_url` is where Stripe has to send the events."
      })
    ),
    HttpApiEndpoint.post("set", path, {
      params,
      payload: SetChannel,
      success: [enveloped(ChannelResource), needsApproval],
      error: [InvalidRequest, MerchantNotFound, Conflict, ProcessorError]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Set who takes a merchant's payments",
        description:
          "Keys are tried with one call to Stripe before they are kept, and with another where there were keys. " +
          "409: they are of another account, and the account before is still needed; the message counts what for."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "The channel that takes a merchant's payments in one environment.") {}
