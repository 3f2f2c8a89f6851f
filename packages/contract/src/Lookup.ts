/**
 * An operator's reads about a merchant (docs/architecture.md, section 7): an overview, each of the merchant's lists as
 * the merchant sees it, and a search by number.
 */
import { Mode } from "@coffer/model/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BalanceResource, BalanceTransactionResource, LedgerQuery } from "./Balance.ts"
import { Decoding, OperatorToken } from "./Caller.ts"
import { DisputeQuery, DisputeResource } from "./Disputes.ts"
import { enveloped, listed } from "./Envelope.ts"
import { InvalidRequest, MerchantNotFound } from "./Errors.ts"
import { EventQuery, EventResource } from "./Events.ts"
import { int, kind, merchantId, ofMerchant, text, withExample } from "./fields.ts"
import { ListQuery, sortedField } from "./Lists.ts"
import { LogQuery, LogResource, retentionDays } from "./Logs.ts"
import { PaymentLinkResource } from "./PaymentLinks.ts"
import { RefundQuery, RefundResource } from "./Refunds.ts"
import { foundKinds } from "./foundKinds.ts"
import { sampleIds } from "./sampleIds.ts"
import { DeliveryResource } from "./WebhookDeliveries.ts"
import { EndpointResource } from "./WebhookEndpoints.ts"

const merchantPath = "/operator/v1/merchants/:merchant_id"
/** As in the merchant's own list. */
const LogReply = listed(LogResource, {
  retention_days: int("Days for which calls are kept.").annotate({ examples: [retentionDays] })
})

const mode = Mode.annotate({ description: "The environment that is read." })

/** The filters of the merchant's own list, and the environment. These lists have no CSV form and do not wait. */
const queryOf = <const Fields extends Schema.Struct.Fields>({ wait: _, ...fields }: Fields) =>
  Schema.Struct({ ...fields, format: ListQuery.format, mode })

/** It takes `wait`, since 0.1.0 did, and answers at once. */
const OperatorEventQuery = Schema.Struct({ ...queryOf(EventQuery.fields).fields, wait: EventQuery.fields.wait })

const list = <const Name extends string, const Path extends string, Query extends Schema.Top, Reply extends Schema.Top>(
  name: Name,
  path: Path,
  query: Query,
  success: Reply
) =>
  HttpApiEndpoint.get(name, `${merchantPath}/${path}`, {
    params: ofMerchant,
    query,
    success,
    error: [InvalidRequest, MerchantNotFound]
  }).annotateMerge(
    OpenApi.annotations({
      summary: `List a merchant's ${path.replaceAll("_", " ")}, newest first`,
      description: "As the merchant sees them, with the same filters, in the environment that `mode` names."
    })
  )

/** How many objects of each kind the overview shows. */
export const overviewRows = 10
/** Open disputes are sorted by deadline, so that none near its deadline is left out. */
export const overviewDisputes = 100

const newest = <Item extends Schema.Top>(item: Item, what: string) =>
  Schema.Array(item).annotate({ description: `The newest ${overviewRows} ${what}.` })

export const OverviewResource = Schema.Struct({
  object: kind("merchant_overview"),
  merchant_id: merchantId,
  mode,
  balances: Schema.Array(BalanceResource).annotate({ description: "One for each currency." }),
  balance_transactions: newest(BalanceTransactionResource, "rows of the ledger"),
  refunds: newest(RefundResource, "refunds"),
  disputes: Schema.Array(DisputeResource).annotate({
    description: `Those that wait for the merchant's response, by deadline, at most ${overviewDisputes}.`
  }),
  events: newest(EventResource, "events"),
  webhook_endpoints: Schema.Array(EndpointResource).annotate({ description: "All of them." }),
  failed_deliveries: newest(DeliveryResource, "deliveries of which every attempt failed"),
  api_logs: newest(LogResource, "of its API calls")
}).annotate({ identifier: "MerchantOverview", description: "A merchant on one page." })
export type OverviewResource = typeof OverviewResource.Encoded

/** The maximum of objects found by one search. */
export const foundMax = 100

export const FoundResource = withExample(
  Schema.Struct({
    object: kind("found"),
    kind: Schema.Literals(foundKinds).annotate({ description: "The kind of object that has the number." }),
    id: text("The object's own number: for an order, its `trade_no`."),
    merchant_id: merchantId,
    mode: Schema.NullOr(Mode).annotate({ description: "The environment; null for a merchant itself." }),
    field: text("The field that contains the number: `trade_no`, `out_trade_no`, `payment_id`.")
  }).annotate({ identifier: "Found", description: "An object with the number." }),
  {
    object: "found",
    kind: "order",
    id: sampleIds.order,
    merchant_id: sampleIds.merchant,
    mode: "sandbox",
    field: "out_trade_no"
  }
)
export type FoundResource = typeof FoundResource.Encoded

export const SearchQuery = Schema.Struct({
  number: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(255)).annotate({
    description:
      "The complete number: ours, the merchant's own (`out_trade_no`, `out_refund_no`, a payout's `reference`), or " +
      "the channel's (`payment_id`, `processor_dispute_id`)."
  }),
  merchant_id: Schema.optionalKey(text("Only objects of this merchant."))
})
export type SearchQuery = typeof SearchQuery.Type

export class LookupGroup extends HttpApiGroup.make("lookup")
  .add(
    HttpApiEndpoint.get("overview", `${merchantPath}/overview`, {
      params: ofMerchant,
      query: Schema.Struct({ mode }),
      success: enveloped(OverviewResource),
      error: [InvalidRequest, MerchantNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read a merchant on one page",
        description:
          "Balances, its newest ledger rows, refunds, events and API calls, disputes by deadline, its webhook " +
          "endpoints, and failed deliveries, in one environment."
      })
    ),
    HttpApiEndpoint.get("search", "/operator/v1/search", {
      query: SearchQuery,
      success: listed(FoundResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Find objects by number",
        description:
          `The complete number, across merchants and environments: at most ${foundMax} objects. Several merchants ` +
          "may use the same number of their own. Without `merchant_id` all merchants are searched."
      })
    ),
    list("refunds", "refunds", queryOf(RefundQuery.fields), listed(RefundResource, sortedField)),
    list("disputes", "disputes", queryOf(DisputeQuery.fields), listed(DisputeResource, sortedField)),
    list("paymentLinks", "payment_links", queryOf(ListQuery), listed(PaymentLinkResource)),
    list(
      "balanceTransactions",
      "balance_transactions",
      queryOf(LedgerQuery.fields),
      listed(BalanceTransactionResource)
    ),
    list("events", "events", OperatorEventQuery, listed(EventResource)),
    list("webhookEndpoints", "webhook_endpoints", queryOf(ListQuery), listed(EndpointResource)),
    list("logs", "logs", queryOf(LogQuery.fields), LogReply)
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "What operators can read about a merchant.") {}
