/** The operator's own API, under `/operator/v1` (docs/architecture.md, section 7). Same envelope, same errors. */
import { FeeByCurrency, FeeSchedule } from "@coffer/model/Fees"
import { Mode } from "@coffer/model/Ids"
import { urlLengthMax } from "@coffer/model/Limits"
import { Currency, Minor } from "@coffer/model/Money"
import { optional, withoutNulls } from "@coffer/model/optional"
import { OfferedMethods } from "@coffer/model/PaymentMethod"
import { QuotaOverrides } from "@coffer/model/Quotas"
import { FreeText, OneLine } from "@coffer/model/Text"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { ChannelsGroup } from "./Channels.ts"
import { ClusterGroup } from "./Cluster.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, InvalidRequest, MerchantNotFound, Unavailable } from "./Errors.ts"
import { int, orNull, text } from "./fields.ts"
import { FilesGroup } from "./Files.ts"
import { HeldUpGroup } from "./HeldUp.ts"
import { knownParametersOnly, ListQuery } from "./Lists.ts"
import { Email, OperatorOrdersGroup } from "./Orders.ts"
import { AuditLogGroup, needsApproval, OperatorsGroup } from "./Operators.ts"
import { OperatorTimelineGroup } from "./Timeline.ts"
import { PayoutsGroup } from "./Payouts.ts"
import { ReconciliationGroup } from "./Reconciliation.ts"
import { OperatorDeliveriesGroup } from "./WebhookDeliveries.ts"

const ModeSettings = Schema.Struct({
  ip_allowlist: Schema.String,
  default_notify_url: Schema.NullOr(Schema.String),
  payment_methods: OfferedMethods.annotate({ description: "What buyers may pay with." })
})

const InEachCurrency = Schema.Struct({ USD: Minor, HKD: Minor, CNY: Minor })

export const MerchantResource = Schema.Struct({
  object: Schema.tag("merchant"),
  merchant_id: Schema.String,
  name: Schema.String,
  logo_url: orNull(Schema.String, "Shown beside the name on every page and in mails."),
  support_email: orNull(Schema.String, "Where buyers ask for help; also who gets an answer to a receipt's mail."),
  support_url: orNull(Schema.String, "Where buyers find help."),
  approved: Schema.Boolean,
  live_currencies: Schema.Array(Currency),
  fees: FeeSchedule,
  /** Minor units, as they hold for this merchant: for a lost dispute, and for a payout. */
  dispute_fee: InEachCurrency,
  payout_fee: InEachCurrency,
  /** Requests a minute that hold for this merchant, its own or everybody's. */
  quotas: Schema.Struct({ writes: Schema.Int, reads: Schema.Int, csv: Schema.Int, helpers: Schema.Int }),
  sandbox: Schema.Struct({
    ...ModeSettings.fields,
    clock_ahead_ms: int("How far the sandbox's clock is ahead of real time, in milliseconds; 0 until it is moved.")
  }),
  live: ModeSettings,
  /** While it is set, the merchant's keys are refused and its links make no orders. */
  suspended_at: Schema.NullOr(Schema.String),
  /** The operators' own words about the merchant, which it never sees. */
  note: Schema.NullOr(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "Merchant" })
export type MerchantResource = typeof MerchantResource.Encoded

const Name = OneLine(1, 255)

const ModePatch = withoutNulls(
  Schema.Struct({
    ip_allowlist: optional(OneLine(0, 10_000)),
    /** Null removes it. */
    default_notify_url: Schema.optionalKey(Schema.NullOr(OneLine(1, urlLengthMax))),
    payment_methods: Schema.optionalKey(orNull(OfferedMethods, "What buyers may pay with; null: every method."))
  }),
  ["default_notify_url", "payment_methods"]
)

export const UpdateMerchant = withoutNulls(
  Schema.Struct({
    name: optional(Name),
    logo_url: Schema.optionalKey(
      orNull(
        OneLine(1, urlLengthMax),
        "The address of a PNG or JPEG that was uploaded for this merchant: at most 256 kB, and 2,048 pixels on each " +
          "side. Null removes it."
      )
    ),
    support_email: Schema.optionalKey(orNull(Email, "Null removes it.")),
    support_url: Schema.optionalKey(orNull(OneLine(1, urlLengthMax), "An https address. Null removes it.")),
    approved: optional(Schema.Boolean),
    live_currencies: optional(Schema.Array(Currency).check(Schema.isMaxLength(Currency.literals.length))),
    fees: optional(FeeSchedule),
    /** By currency; a currency that is left out stays as it is. */
    dispute_fee: optional(FeeByCurrency),
    payout_fee: optional(FeeByCurrency),
    quotas: optional(QuotaOverrides),
    sandbox: optional(ModePatch),
    live: optional(ModePatch),
    /** Null removes it. */
    note: Schema.optionalKey(Schema.NullOr(FreeText(2_000)))
  }),
  ["logo_url", "support_email", "support_url", "note"]
)
export type UpdateMerchant = typeof UpdateMerchant.Type

export const CreateMerchant = withoutNulls(
  Schema.Struct({
    name: Name,
    seed: optional(
      Schema.Boolean,
      "`false` leaves the sandbox empty. Otherwise its wallets hold what fees a first refund takes beside its payment."
    )
  })
)

const params = { merchant_id: Schema.String }

/** Filters of the list; all have to match. */
export const MerchantQuery = Schema.Struct({
  ...ListQuery,
  search: Schema.optionalKey(text("Merchants whose name has this text, in upper or lower case.")),
  status: Schema.optionalKey(
    Schema.Literals(["unapproved", "approved", "suspended"]).annotate({ description: "Merchants in this state." })
  )
})
export type MerchantQuery = typeof MerchantQuery.Type

const change = <const Name extends "suspend" | "resume">(name: Name, summary: string) =>
  HttpApiEndpoint.post(name, `/operator/v1/merchants/:merchant_id/${name}`, {
    params,
    success: enveloped(MerchantResource),
    error: MerchantNotFound
  }).annotate(OpenApi.Summary, summary)

export class MerchantsGroup extends HttpApiGroup.make("merchants")
  .add(
    HttpApiEndpoint.post("create", "/operator/v1/merchants", {
      payload: CreateMerchant,
      success: enveloped(
        Schema.Struct({
          merchant_id: Schema.String,
          name: Schema.String,
          approved: Schema.Boolean,
          sandbox_key: Schema.String,
          live_key: Schema.String
        })
      ).pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Create a merchant; its keys are shown once",
        description:
          "Sent again, it makes another merchant. Its sandbox gets one paid order in each currency, with a subject " +
          "that says so, unless `seed` is false."
      })
    ),
    HttpApiEndpoint.get("list", "/operator/v1/merchants", {
      query: MerchantQuery,
      success: listed(MerchantResource),
      error: InvalidRequest
    }).annotate(OpenApi.Summary, "List merchants, newest first"),
    change("suspend", "Refuse a merchant's keys, at once and on all runners"),
    change("resume", "Let a suspended merchant's keys work again"),
    HttpApiEndpoint.get("retrieve", "/operator/v1/merchants/:merchant_id", {
      params,
      success: enveloped(MerchantResource),
      error: MerchantNotFound
    }),
    HttpApiEndpoint.post("update", "/operator/v1/merchants/:merchant_id", {
      params,
      payload: UpdateMerchant,
      success: [enveloped(MerchantResource), needsApproval],
      error: [Conflict, InvalidRequest, MerchantNotFound, Unavailable]
    }),
    HttpApiEndpoint.post("resetKey", "/operator/v1/merchants/:merchant_id/keys/:mode/reset", {
      params: { ...params, mode: Mode },
      success: [enveloped(Schema.Struct({ key: Schema.String })), needsApproval],
      error: [Conflict, MerchantNotFound]
    }),
    HttpApiEndpoint.get("signingSecret", "/operator/v1/merchants/:merchant_id/signing_secret/:mode", {
      params: { ...params, mode: Mode },
      success: enveloped(Schema.Struct({ secret: Schema.String })),
      error: MerchantNotFound
    })
  )
  .middleware(Decoding)
  .middleware(OperatorToken) {}

export class OperatorApi extends HttpApi.make("coffer-operator")
  .add(MerchantsGroup)
  .add(ChannelsGroup)
  .add(ReconciliationGroup)
  .add(FilesGroup)
  .add(OperatorOrdersGroup)
  .add(OperatorTimelineGroup)
  .add(PayoutsGroup)
  .add(OperatorDeliveriesGroup)
  .add(OperatorsGroup)
  .add(AuditLogGroup)
  .add(ClusterGroup)
  .add(HeldUpGroup)
  .annotate(HttpApi.QueryParseOptions, knownParametersOnly) {}
