/**
 * The operator's own API, under `/operator/v1` (docs/architecture.md, section 7). It has the same envelope and errors.
 */
import { FeeByCurrency, FeeSchedule } from "@coffer/model/Fees"
import { Currency, Minor } from "@coffer/model/Money"
import { optional, withoutNulls } from "@coffer/model/optional"
import { OfferedMethods, PaymentMethod } from "@coffer/model/PaymentMethod"
import { QuotaOverrides } from "@coffer/model/Quotas"
import { FreeText, OneLine } from "@coffer/model/Text"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { ApiKeysGroup } from "./ApiKeys.ts"
import { ChannelsGroup } from "./Channels.ts"
import { ClusterGroup } from "./Cluster.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, InvalidRequest, MerchantNotFound, Unavailable } from "./Errors.ts"
import { anyMode, instant, int, kind, ofMerchant, orNull, text, withExample } from "./fields.ts"
import { OperatorErasuresGroup } from "./Erasures.ts"
import { DoctorGroup } from "./Doctor.ts"
import { ExportsGroup } from "./Exports.ts"
import { FilesGroup } from "./Files.ts"
import { HeldUpGroup, StraySessionsGroup } from "./HeldUp.ts"
import { knownParametersOnly, ListQuery } from "./Lists.ts"
import { LookupGroup } from "./Lookup.ts"
import { OperatorOrdersGroup } from "./Orders.ts"
import { ApprovalsGroup, AuditLogGroup, needsApproval, OperatorsGroup } from "./Operators.ts"
import { OperatorTimelineGroup } from "./Timeline.ts"
import { PayoutsGroup } from "./Payouts.ts"
import { PeopleGroup } from "./People.ts"
import { publishOperators } from "./publish.ts"
import { ReconciliationGroup } from "./Reconciliation.ts"
import { sampleIds } from "./sampleIds.ts"
import { checkoutDomainSample, modeSettings, shopNulls, shopSettings, shopShown } from "./ShopSettings.ts"
import { OperatorDeliveriesGroup } from "./WebhookDeliveries.ts"

const ModeSettings = Schema.Struct({
  ip_allowlist: text("Addresses from which keys are accepted, separated by commas or spaces; empty: any."),
  default_notify_url: orNull(Schema.String, "Default URL for events to which no endpoint is subscribed; null: none."),
  payment_methods: OfferedMethods.annotate({ description: "The methods that buyers may pay with." })
})

const inEachCurrency = (description: string) =>
  Schema.Struct({
    USD: Minor.annotate({ description: "For US dollars." }),
    HKD: Minor.annotate({ description: "For Hong Kong dollars." }),
    CNY: Minor.annotate({ description: "For renminbi." })
  }).annotate({ description })

export const merchantSample = {
  object: "merchant",
  merchant_id: sampleIds.merchant,
  name: "Corner Bookshop",
  logo_url: null,
  support_email: "help@shop.example",
  support_url: "https://shop.example/help",
  terms_url: "https://shop.example/terms",
  privacy_url: "https://shop.example/privacy",
  business_address: "Oderberger Str. 1, 10435 Berlin, Germany",
  tax_id: "DE123456789",
  accent_color: "#17614f",
  checkout_domain: checkoutDomainSample,
  checkout_domain_points_to: ["shops.pay.example"],
  contact_email: "developers@shop.example",
  time_zone: "Europe/Berlin",
  approved: true,
  live_currencies: ["USD", "HKD"],
  fees: [],
  default_fee: { basis_points: 290, fixed: 30, source: "service" },
  dispute_fee: { USD: 1500, HKD: 1500, CNY: 1500 },
  payout_fee: { USD: 0, HKD: 0, CNY: 0 },
  quotas: { writes: 120, reads: 600, csv: 10, helpers: 600 },
  sandbox: {
    ip_allowlist: "",
    default_notify_url: null,
    payment_methods: PaymentMethod.literals,
    mail_recipients: ["@shop.example"],
    clock_ahead_ms: 0
  },
  live: { ip_allowlist: "203.0.113.7", default_notify_url: null, payment_methods: ["card"] },
  suspended_at: null,
  closed_at: null,
  note: null,
  created_at: "2026-11-20T08:00:00.000Z"
} as const

export const MerchantResource = withExample(
  Schema.Struct({
    object: kind("merchant"),
    merchant_id: text("Number of the merchant."),
    name: text("The name that buyers see."),
    logo_url: orNull(Schema.String, "Shown next to the name on every page and in mails."),
    support_email: orNull(Schema.String, "Where buyers ask for help; also the reply address of receipt mails."),
    support_url: orNull(Schema.String, "Where buyers find help."),
    terms_url: orNull(Schema.String, "The shop's terms, linked from every page."),
    privacy_url: orNull(Schema.String, "The shop's privacy policy, linked from every page."),
    business_address: orNull(Schema.String, "The seller's postal address, on receipts."),
    tax_id: orNull(Schema.String, "The seller's tax number, on receipts."),
    accent_color: orNull(
      Schema.String,
      "The colour of buttons and links on pages, as `#rrggbb`; null: the default colour of the service."
    ),
    ...shopShown,
    contact_email: orNull(
      Schema.String,
      "The merchant's address for messages about its keys; while it is null, `support_email` is used. Buyers never " +
        "see it."
    ),
    time_zone: text("Time zone of the days in its reports, unless a call names another."),
    approved: Schema.Boolean.annotate({ description: "Whether its live key works." }),
    live_currencies: Schema.Array(Currency).annotate({
      description: "Currencies in which it may accept live payments."
    }),
    fees: FeeSchedule.annotate({
      description: "Its own acquiring fees; the first that matches a payment applies, otherwise `default_fee`."
    }),
    default_fee: Schema.Struct({
      basis_points: int("Hundredths of a percent of the amount."),
      fixed: Minor.annotate({ description: "Minor units, added to every payment." }),
      source: Schema.Literals(["merchant", "service"]).annotate({
        description:
          "`merchant`: an entry of its `fees` without criteria. `service`: 2.9 % and 30 minor units, if there is " +
          "no such entry."
      })
    }).annotate({ description: "The acquiring fee of a payment that matches no entry of `fees` with criteria." }),
    dispute_fee: inEachCurrency("For a lost dispute, in minor units, as it applies to this merchant."),
    payout_fee: inEachCurrency("For a payout that arrived, in minor units, as it applies to this merchant."),
    quotas: Schema.Struct({
      writes: int("POST and DELETE."),
      reads: int("GET, without CSV files."),
      csv: int("CSV files."),
      helpers: int("Calls of the test helpers, only in the sandbox.")
    }).annotate({ description: "Requests per minute in each environment, as they apply to this merchant." }),
    sandbox: Schema.Struct({
      ...ModeSettings.fields,
      mail_recipients: Schema.Array(Schema.String).annotate({
        description: "Addresses to which the sandbox may send mails."
      }),
      clock_ahead_ms: int("How far the sandbox's clock is ahead of real time, in milliseconds; 0 until it is advanced.")
    }).annotate({ description: "Settings of its sandbox." }),
    live: ModeSettings.annotate({ description: "Settings of its live environment." }),
    suspended_at: orNull(
      Schema.String,
      "Since when its keys are refused and its links create no orders; null unless it is suspended."
    ),
    closed_at: orNull(
      Schema.String,
      "Since when it is permanently closed to new business; its keys can still read for 90 days more. Null unless " +
        "it is closed."
    ),
    note: orNull(Schema.String, "The operators' notes on the merchant, which the merchant never sees."),
    created_at: instant("When it was created.")
  }).annotate({ identifier: "Merchant", description: "A merchant and its settings." }),
  merchantSample
)
export type MerchantResource = typeof MerchantResource.Encoded

const Name = OneLine(1, 255)

export const UpdateMerchant = withoutNulls(
  Schema.Struct({
    name: optional(Name, "The name that buyers see."),
    ...shopSettings,
    approved: optional(Schema.Boolean, "Whether its live key works."),
    live_currencies: optional(
      Schema.Array(Currency).check(Schema.isMaxLength(Currency.literals.length)),
      "Currencies in which it may accept live payments."
    ),
    fees: optional(FeeSchedule, "The complete schedule of its acquiring fees, which replaces the previous one."),
    dispute_fee: optional(FeeByCurrency, "For a lost dispute; omitted currencies are unchanged."),
    payout_fee: optional(FeeByCurrency, "For a payout that arrived; omitted currencies are unchanged."),
    quotas: optional(QuotaOverrides, "Its own quotas, which replace the previous ones."),
    ...modeSettings,
    note: Schema.optionalKey(orNull(FreeText(2_000), "Visible only to operators. Null removes it."))
  }).annotate({ examples: [{ approved: true, live_currencies: ["USD"] }] }),
  [...shopNulls, "note"]
)
export type UpdateMerchant = typeof UpdateMerchant.Type

export const CreateMerchant = withoutNulls(
  Schema.Struct({
    name: Name.annotate({ description: "The name that buyers see." }),
    seed: optional(
      Schema.Boolean,
      "`false` leaves the sandbox empty. Otherwise its wallets contain enough to cover the fees of a first refund."
    )
  }).annotate({ examples: [{ name: "Corner Bookshop" }] })
)

/** Filters of the list; all have to match. */
export const MerchantQuery = Schema.Struct({
  ...ListQuery,
  search: Schema.optionalKey(text("Merchants whose name contains this text, ignoring case.")),
  status: Schema.optionalKey(
    Schema.Literals(["unapproved", "approved", "suspended", "closed"]).annotate({
      description: "Merchants in this state."
    })
  )
})
export type MerchantQuery = typeof MerchantQuery.Type

const change = <const Name extends "suspend" | "resume">(name: Name, summary: string, description: string) =>
  HttpApiEndpoint.post(name, `/operator/v1/merchants/:merchant_id/${name}`, {
    params: ofMerchant,
    success: enveloped(MerchantResource),
    error: MerchantNotFound
  }).annotateMerge(OpenApi.annotations({ summary, description }))

export class MerchantsGroup extends HttpApiGroup.make("merchants")
  .add(
    HttpApiEndpoint.post("create", "/operator/v1/merchants", {
      payload: CreateMerchant,
      success: enveloped(
        Schema.Struct({
          merchant_id: text("Number of the merchant."),
          name: text("The name that buyers see."),
          approved: Schema.Boolean.annotate({ description: "Whether its live key works: not yet." }),
          sandbox_key: text("Its key for the sandbox, shown only this once."),
          live_key: orNull(
            Schema.String,
            "Its key for live payments, shown only this once; null if live keys need two operators, who then reset it."
          )
        }).annotate({
          description: "The merchant and its keys.",
          examples: [
            {
              merchant_id: sampleIds.merchant,
              name: "Corner Bookshop",
              approved: false,
              sandbox_key: `svc_test_${"x".repeat(49)}`,
              live_key: `svc_live_${"x".repeat(49)}`
            }
          ]
        })
      ).pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Create a merchant; its keys are shown once",
        description:
          "Not idempotent: each request creates another merchant. Its sandbox gets one paid order in each " +
          "currency, with a subject that says so, unless `seed` is false."
      })
    ),
    HttpApiEndpoint.get("list", "/operator/v1/merchants", {
      query: MerchantQuery,
      success: listed(MerchantResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({ summary: "List merchants, newest first", description: "All filters have to match." })
    ),
    change(
      "suspend",
      "Suspend a merchant: refuse its keys immediately on all runners",
      "Requests with its keys are answered 403, and its links create no orders. Payments are kept; refunds and " +
        "disputes continue."
    ),
    change("resume", "Let a suspended merchant's keys work again", "The same keys work again immediately."),
    HttpApiEndpoint.post("close", "/operator/v1/merchants/:merchant_id/close", {
      params: ofMerchant,
      success: [enveloped(MerchantResource), needsApproval],
      error: [Conflict, MerchantNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Close a merchant permanently",
        description:
          "New orders, links and endpoints are refused, immediately on all runners. Its keys can still read, " +
          "refund, answer disputes, export and erase for 90 days more, and are then answered 403. Payments of " +
          "open orders, refunds, disputes and payouts continue. Repeating the request changes nothing. 202: it " +
          "needs two operators, and another one has to send the same request."
      })
    ),
    HttpApiEndpoint.get("get", "/operator/v1/merchants/:merchant_id", {
      params: ofMerchant,
      success: enveloped(MerchantResource),
      error: MerchantNotFound
    }).annotateMerge(
      OpenApi.annotations({ summary: "Read a merchant", description: "With its settings in both environments." })
    ),
    HttpApiEndpoint.post("update", "/operator/v1/merchants/:merchant_id", {
      params: ofMerchant,
      payload: UpdateMerchant,
      success: [enveloped(MerchantResource), needsApproval],
      error: [Conflict, InvalidRequest, MerchantNotFound, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Change a merchant's settings",
        description:
          "Omitted fields are unchanged. 202: the change needs two operators, and another one has to send the " +
          "same request."
      })
    ),
    HttpApiEndpoint.post("resetKey", "/operator/v1/merchants/:merchant_id/keys/:mode/reset", {
      params: { ...ofMerchant, mode: anyMode },
      success: [
        enveloped(
          Schema.Struct({
            key: text("The new key, shown only this once.").annotate({ examples: [`svc_live_${"x".repeat(49)}`] })
          }).annotate({ description: "The key." })
        ),
        needsApproval
      ],
      error: [Conflict, MerchantNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Reset a key",
        description:
          "The old key is refused immediately on all runners. 202: it needs two operators, and another one has to " +
          "send the same request."
      })
    ),
    HttpApiEndpoint.get("signingSecret", "/operator/v1/merchants/:merchant_id/signing_secret/:mode", {
      params: { ...ofMerchant, mode: anyMode },
      success: [
        enveloped(
          Schema.Struct({
            secret: text("It signs deliveries to the default URL and to order-level URLs.").annotate({
              examples: [sampleIds.secret]
            })
          }).annotate({ description: "The secret." })
        ),
        needsApproval
      ],
      error: [Conflict, MerchantNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read a merchant's signing secret",
        description:
          "The secret of the default endpoint and of order-level `notify_url`. Each read is recorded in the audit " +
          "log. 202: it needs two operators, and another one has to send the same request."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "Merchants and their settings.") {}

export class OperatorApi extends HttpApi.make("coffer-operator")
  .add(MerchantsGroup)
  .add(ApiKeysGroup)
  .add(ChannelsGroup)
  .add(ReconciliationGroup)
  .add(FilesGroup)
  .add(OperatorOrdersGroup)
  .add(OperatorTimelineGroup)
  .add(PayoutsGroup)
  .add(OperatorDeliveriesGroup)
  .add(OperatorsGroup)
  .add(PeopleGroup)
  .add(ApprovalsGroup)
  .add(AuditLogGroup)
  .add(OperatorErasuresGroup)
  .add(ExportsGroup)
  .add(ClusterGroup)
  .add(DoctorGroup)
  .add(HeldUpGroup)
  .add(StraySessionsGroup)
  .add(LookupGroup)
  .annotate(HttpApi.QueryParseOptions, knownParametersOnly)
  .annotateMerge(
    OpenApi.annotations({
      title: "Coffer for operators",
      version: "1.0.0",
      description:
        "Run the service: merchants, their channels and payouts, objects that need attention, the cluster, " +
        "operators and the audit log. Send the token as `Authorization: Bearer`. docs/architecture.md says what " +
        "each role may do.",
      transform: publishOperators
    })
  ) {}
