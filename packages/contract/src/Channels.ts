/**
 * The channel that takes a merchant's payments in one environment (docs/architecture.md, section 7). The operator sets
 * it; keys are never shown again.
 */
import { optional, withoutNulls } from "@coffer/model/optional"
import { OfferedMethods } from "@coffer/model/PaymentMethod"
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
  "Where Stripe processes the payments, it accepts at least 50 (0.50 USD), 400 (4.00 HKD) or 400 (4.00 CNY), and at " +
  "most 99999999 (999,999.99) in each currency; other amounts are 400 for `amount`."

/** Acquirers with accounts, by their names. */
const acquirer = Schema.Literals(["stripe", "adyen"])

const channel = Schema.Literals(["sandbox", "stripe", "adyen", "none"]).annotate({
  description:
    "The channel that processes the payments: `sandbox`, the simulated bank, only in the sandbox; an acquirer, " +
    "`stripe` or `adyen`; or `none`, only in the live environment. With several acquirers, the first of `acquirers` " +
    "that is active."
})

const keyLengthMax = 255
const rankMax = 1_000
/** A wrong value is not repeated: it may be a key. */
const keyLike = (pattern: RegExp, expected: string) =>
  OneLine(1, keyLengthMax).check(Schema.isPattern(pattern, { expected }))

/** An account among those of its merchant. */
const routeFields = {
  rank: orNull(Schema.Int, "The account's place among the merchant's channels, the lowest first; null: the usual one."),
  methods: orNull(OfferedMethods, "The methods that buyers pay there; null: all that the channel takes.")
}

const AcquirerAccount = Schema.Struct({
  channel: acquirer.annotate({ description: "The acquirer." }),
  is_active: Schema.Boolean.annotate({ description: "Whether buyers pay through it." }),
  account: orNull(
    Schema.String,
    "The number of the account there: a connected account at Stripe, the merchant account at Adyen."
  ),
  has_keys: Schema.Boolean.annotate({ description: "Whether its keys are stored." }),
  set_at: orNull(Schema.String, "When the keys were last set; null without keys."),
  ...routeFields,
  webhook_url: text("The URL to which it has to send what happens to payments of this merchant and environment.")
})
export type AcquirerAccount = typeof AcquirerAccount.Encoded

export const ChannelResource = withExample(
  Schema.Struct({
    object: kind("channel"),
    merchant_id: merchantId,
    mode: anyMode,
    channel,
    account: orNull(
      Schema.String,
      "The connected account at Stripe, null for the account of the key itself; the merchant account at Adyen."
    ),
    has_keys: Schema.Boolean.annotate({
      description: "Whether an acquirer's keys are stored. Payments made through them are refunded and disputed there."
    }),
    set_at: orNull(Schema.String, "When the keys were last set; null without keys."),
    ...routeFields,
    webhook_url: text("The URL to which the acquirer has to send the events of this merchant and environment."),
    acquirers: Schema.Array(AcquirerAccount).annotate({
      description: "Each acquirer of this installation, in the order in which this merchant's buyers are sent to them."
    })
  }).annotate({
    identifier: "Channel",
    description: "The channel that processes a merchant's payments in one environment."
  }),
  {
    object: "channel",
    merchant_id: sampleIds.merchant,
    mode: "live",
    channel: "stripe",
    account: null,
    has_keys: true,
    set_at: "2026-11-20T08:05:00.000Z",
    rank: null,
    methods: null,
    webhook_url: "https://pay.example/channels/stripe/m7Qk2v",
    acquirers: [
      {
        channel: "stripe",
        is_active: true,
        account: null,
        has_keys: true,
        set_at: "2026-11-20T08:05:00.000Z",
        rank: null,
        methods: null,
        webhook_url: "https://pay.example/channels/stripe/m7Qk2v"
      },
      {
        channel: "adyen",
        is_active: false,
        account: null,
        has_keys: false,
        set_at: null,
        rank: null,
        methods: null,
        webhook_url: "https://pay.example/channels/adyen/m7Qk2v"
      }
    ]
  }
)
export type ChannelResource = typeof ChannelResource.Encoded

export const SetChannel = withoutNulls(
  Schema.Struct({
    channel,
    secret_key: optional(
      keyLike(
        /^([sr]k_(test|live)_\w+|AQ[\w+/=.-]{14,}\S*)$/,
        "a secret or restricted key of Stripe, or an API key of Adyen"
      ),
      "A secret or restricted key of Stripe, or an API key of Adyen: a test key for the sandbox, a live key for " +
        "live. If omitted, the stored one is kept."
    ),
    webhook_secret: optional(
      keyLike(
        /^(whsec_\S+|[0-9A-Fa-f]{64})$/,
        "a signing secret of Stripe, which begins with whsec_, or an HMAC key of Adyen, of 64 hexadecimal digits"
      ),
      "The signing secret of the endpoint at Stripe, or the HMAC key of the webhook at Adyen, that has " +
        "`webhook_url`. If omitted, the stored one is kept."
    ),
    account: Schema.optionalKey(
      orNull(
        keyLike(
          /^(acct_\w+|[A-Za-z][\w-]{1,79})$/,
          "the number of an account at Stripe, which begins with acct_, or the code of a merchant account at Adyen"
        ),
        "At Stripe a connected account, for a platform's key; null: the account of the key itself. At Adyen the " +
          "merchant account. If omitted, it is unchanged."
      )
    ),
    url_prefix: optional(
      keyLike(/^[0-9A-Za-z][\w-]{1,99}$/, "the prefix of a company's live URLs at Adyen"),
      "Only for Adyen, required in live: the prefix of your company's live endpoint URLs, from Adyen's Customer " +
        "Area. If omitted, it is unchanged."
    ),
    rank: Schema.optionalKey(
      orNull(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: rankMax })),
        "Where a merchant has several channels: its place among them, the lowest first. A buyer whose channel cannot " +
          "make a checkout session now pays through the next. Null: the usual place. If omitted, it is unchanged."
      )
    ),
    methods: Schema.optionalKey(
      orNull(
        OfferedMethods,
        "The methods that buyers pay there. Null: all that the channel takes. If omitted, they are unchanged."
      )
    )
  }).annotate({ examples: [{ channel: "stripe", secret_key: "rk_live_xxxx", webhook_secret: "whsec_xxxx" }] }),
  ["account", "rank", "methods"]
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
        summary: "Read which channel processes a merchant's payments",
        description: "Keys are never shown; `webhook_url` is the URL to which the acquirer has to send the events."
      })
    ),
    HttpApiEndpoint.post("set", path, {
      params,
      payload: SetChannel,
      success: [enveloped(ChannelResource), needsApproval],
      error: [InvalidRequest, MerchantNotFound, Conflict, ProcessorError]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Set which channel processes a merchant's payments",
        description:
          "Keys are tested with one call to the acquirer before they are stored, and with a second if they replace " +
          "others. An acquirer takes payments beside those that do already; `sandbox` and `none` switch all of them " +
          "off. 409: they belong to another account while the previous account is still needed; the message " +
          "says how many payments, refunds and disputes need it."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "The channel that processes a merchant's payments in one environment.") {}
