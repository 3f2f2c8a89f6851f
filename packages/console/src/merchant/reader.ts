/**
 * How pages read the objects of one merchant in one environment: as the merchant does, or as an operator
 * (`operator/reader.tsx`). The pages are the same; the reader defines the differences.
 */
import type { ApiKeyQuery, ApiKeyResource } from "@coffer/contract/ApiKeys"
import type { BalanceTransactionResource, LedgerQuery } from "@coffer/contract/Balance"
import type { DisputeQuery, DisputeResource } from "@coffer/contract/Disputes"
import type { EventQuery, EventResource } from "@coffer/contract/Events"
import type { LogQuery, LogResource } from "@coffer/contract/Logs"
import type { OrderQuery, OrderResource } from "@coffer/contract/Orders"
import type { PaymentLinkQuery, PaymentLinkResource } from "@coffer/contract/PaymentLinks"
import type { PayoutQuery, PayoutResource } from "@coffer/contract/Payouts"
import type { RefundQuery, RefundResource } from "@coffer/contract/Refunds"
import type { DeliveryQuery, DeliveryResource } from "@coffer/contract/WebhookDeliveries"
import type { EndpointResource } from "@coffer/contract/WebhookEndpoints"
import { createContext, useContext, useMemo } from "react"
import { accountApi } from "../api/accountApi.ts"
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { type TextQuery, asQuery, type PageOf, type PlainQuery, withoutFile } from "../api/lists.ts"
import { type InAccount, useAccount } from "../api/session.ts"
import type { List } from "../parts/ListPage.tsx"
import { pageOf } from "./find.ts"

/** A list for a reader: how to read a page of it, and the address of a row's page, if any. */
interface Listing<Row, Wanted> {
  readonly page: PageOf<Row, Wanted>
  readonly hrefOf?: (row: Row) => string
}

export interface Lists {
  readonly orders: Listing<OrderResource, OrderQuery>
  readonly refunds: Listing<RefundResource, RefundQuery>
  readonly disputes: Listing<DisputeResource, DisputeQuery>
  readonly links: Listing<PaymentLinkResource, PaymentLinkQuery>
  readonly ledger: Listing<BalanceTransactionResource, LedgerQuery>
  readonly payouts: Listing<PayoutResource, PayoutQuery>
  readonly events: Listing<EventResource, EventQuery>
  readonly deliveries: Listing<DeliveryResource, DeliveryQuery>
  readonly webhooks: Listing<EndpointResource, PlainQuery>
  readonly logs: Listing<LogResource, LogQuery>
  readonly keys: Listing<ApiKeyResource, ApiKeyQuery>
}

export interface Reader {
  /** Where the merchant's pages are for this reader. */
  readonly base: string
  /** The account whose actions these pages offer; undefined for operators, who have their own actions. */
  readonly account: InAccount | undefined
  readonly lists: Lists
  /** The address of the page of this object, if this reader has one. */
  readonly pageOf: (number: string) => string | undefined
  /** Overrides parts of a list for this reader. */
  readonly adapt: <Row>(list: List<Row>) => List<Row>
}

/** Who reads instead of the merchant. */
export const ReaderContext = createContext<Reader | undefined>(undefined)

export const useReader = (): Reader => {
  const reader = useContext(ReaderContext)
  const account = useAccount()
  return useMemo(() => reader ?? accountReader(account), [reader, account])
}

/** The merchant's own reader. */
const accountReader = (account: InAccount): Reader => {
  const { base } = account
  return {
    base,
    account,
    pageOf: (number) => {
      const page = pageOf(number)
      return page === undefined ? undefined : `${base}${page}`
    },
    adapt: (list) => list,
    lists: listsOf(account)
  }
}

const listsOf = (account: InAccount): Lists => {
  const { base, merchantId, mode } = account
  const api = accountApi(account)
  const at = (page: string, number: string) => `${base}/${page}/${number}`
  const requestOf = <Wanted>(query: TextQuery<Wanted>) => ({ query: asQuery<Wanted>(query), reactivityKeys: shown })
  /** The console's own API has the merchant in the path and the environment in the query. */
  const ofMerchant = <Wanted>(query: Wanted) => ({
    params: { merchant_id: merchantId },
    query: { ...query, mode },
    reactivityKeys: shown
  })
  return {
    orders: {
      // Filters by metadata are lists in the contract.
      page: (query) => {
        const lists = Object.entries(query).map(([name, text]) => [name, name.startsWith("metadata[") ? [text] : text])
        return withoutFile(
          api.query("orders", "list", { query: Object.fromEntries(lists) as OrderQuery, reactivityKeys: shown })
        )
      },
      hrefOf: ({ trade_no }) => at("orders", trade_no)
    },
    refunds: {
      page: (query) => withoutFile(api.query("refunds", "list", requestOf<RefundQuery>(query))),
      hrefOf: ({ refund_no }) => at("refunds", refund_no)
    },
    disputes: {
      page: (query) => withoutFile(api.query("disputes", "list", requestOf<DisputeQuery>(query))),
      hrefOf: ({ dispute_no }) => at("disputes", dispute_no)
    },
    links: {
      page: (query) => api.query("payment_links", "list", requestOf<PaymentLinkQuery>(query)),
      hrefOf: ({ link_id }) => at("links", link_id)
    },
    ledger: {
      page: (query) => withoutFile(api.query("balance", "transactions", requestOf<LedgerQuery>(query))),
      hrefOf: ({ id }) => at("ledger", id)
    },
    payouts: {
      page: (query) => OwnApi.query("payouts", "list", ofMerchant(asQuery<PayoutQuery>(query))),
      hrefOf: ({ payout_no }) => at("payouts", payout_no)
    },
    events: {
      page: (query) => api.query("events", "list", { query: eventQuery(query), reactivityKeys: shown }),
      hrefOf: ({ id }) => at("events", id)
    },
    deliveries: {
      page: (query) => api.query("webhook_deliveries", "list", requestOf<DeliveryQuery>(query)),
      hrefOf: ({ id }) => at("deliveries", id)
    },
    webhooks: {
      page: (query) => api.query("webhook_endpoints", "list", requestOf<PlainQuery>(query)),
      hrefOf: ({ id }) => at("webhooks", id)
    },
    logs: {
      page: (query) => api.query("logs", "list", requestOf<LogQuery>(query)),
      hrefOf: ({ request_id }) => at("logs", request_id)
    },
    keys: {
      page: (query) => OwnApi.query("api_keys", "list", ofMerchant(asQuery<ApiKeyQuery>(query)))
    }
  }
}

/** The address has one type of event, the contract takes several. */
export const eventQuery = ({ type, ...query }: TextQuery<EventQuery>): EventQuery => ({
  ...asQuery<Omit<EventQuery, "type">>(query),
  ...(type === undefined ? {} : { type: [type] })
})
