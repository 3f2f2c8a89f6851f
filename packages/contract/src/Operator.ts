/**
 * The operator's own API, under `/operator/v1` (docs/architecture.md, section 7). It has the same envelope and errors.
 */
import { FeeByCurrency, FeeSchedule } from "@coffer/model/Fees"
import { Currency } from "@coffer/model/Money"
import { optional, withoutNulls } from "@coffer/model/optional"
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
import { anyMode, ofMerchant, orNull, text } from "./fields.ts"
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
import { MerchantResource } from "./Merchants.ts"
import { publishOperators } from "./publish.ts"
import { ReconciliationGroup } from "./Reconciliation.ts"
import { sampleIds } from "./sampleIds.ts"
import { modeSettings, shopNulls, shopSettings } from "./ShopSettings.ts"
import { OperatorDeliveriesGroup } from "./WebhookDeliveries.ts"

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
