/**
 * An operator reads a merchant's objects on the merchant's pages, by the operators' API. An order has a page here; a
 * refund and a dispute lead to theirs. What has no page is shown whole.
 */
import type { ApiKeyQuery } from "@coffer/contract/ApiKeys"
import type { LedgerQuery } from "@coffer/contract/Balance"
import type { DisputeQuery } from "@coffer/contract/Disputes"
import type { LogQuery } from "@coffer/contract/Logs"
import type { OperatorOrderQuery } from "@coffer/contract/Orders"
import type { PaymentLinkQuery } from "@coffer/contract/PaymentLinks"
import type { PayoutQuery } from "@coffer/contract/Payouts"
import type { RefundQuery } from "@coffer/contract/Refunds"
import type { OperatorDeliveryQuery } from "@coffer/contract/WebhookDeliveries"
import { useMemo } from "react"
import { shown } from "../api/acts.ts"
import { asQuery, type PlainQuery } from "../api/lists.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { eventQuery, type Lists, type Reader } from "../merchant/reader.ts"
import type { List } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { useWords } from "../parts/words.ts"
import { CreatePayout } from "./CreatePayout.tsx"
import { type Mode, ofAccount, ofOrder, ShowJson } from "./operator.tsx"

const texts = {
  en: {
    none: "No entries yet",
    noneSays: "Objects the merchant creates with the API or in its console are listed here.",
    whole: "Raw data"
  },
  zh: { none: "还没有记录", noneSays: "商户通过 API 或控制台创建的内容会显示在这里。", whole: "原始数据" }
}

type Texts = typeof texts.en

/** The filters of orders that operators have. */
const orderFilters: ReadonlyArray<string> = ["status", "out_trade_no"] satisfies ReadonlyArray<keyof OperatorOrderQuery>

/** The pages of the objects that operators reach by a number alone. */
export const pageOf = (number: string): string | undefined => {
  if (number.startsWith("pyt_")) return `/operator/payouts/${number}`
  if (number.startsWith("dlv_")) return `/operator/deliveries/${number}`
  return undefined
}

export const useOperatorReader = (merchantId: string, mode: Mode): Reader => {
  const words = useWords(texts)
  return useMemo(() => readerOf(merchantId, mode, words), [merchantId, mode, words])
}

const readerOf = (merchantId: string, mode: Mode, words: Texts): Reader => ({
  base: ofAccount(merchantId, mode),
  account: undefined,
  pageOf: (number) => {
    if (number.startsWith("TRD_")) return ofOrder(merchantId, mode, number)
    if (number.startsWith("req_")) return `${ofAccount(merchantId, mode)}/logs?request_id=${number}`
    return pageOf(number)
  },
  lists: listsOf(merchantId, mode),
  adapt: (list) => ({
    ...list,
    id: `operator.${list.id}`,
    level: 2,
    ...(list.id === "payouts" ? { acts: <CreatePayout merchantId={merchantId} mode={mode} /> } : {}),
    columns: list.hrefOf === undefined ? [...list.columns, wholeColumn(list, words)] : list.columns,
    ...(list.id === "orders" && list.filters !== undefined
      ? { filters: list.filters.filter(({ name }) => orderFilters.includes(name)) }
      : {}),
    empty: (
      <Empty title={words.none}>
        <p>{words.noneSays}</p>
      </Empty>
    )
  })
})

const wholeColumn = <Row,>({ keyOf }: List<Row>, { whole }: Texts) => ({
  id: "whole",
  name: whole,
  cell: (row: Row) => <ShowJson title={keyOf(row)} value={row} />
})

const listsOf = (merchantId: string, mode: Mode): Lists => {
  const params = { merchant_id: merchantId }
  const toOrder = ({ trade_no }: { readonly trade_no: string }) => ofOrder(merchantId, mode, trade_no)
  /** The merchant is in the path of each list, the environment in its query. */
  const requestOf = <Wanted,>(query: Wanted) => ({ params, query: { ...query, mode }, reactivityKeys: shown })
  return {
    orders: {
      page: (query) => OperatorsApi.query("orders", "list", requestOf(asQuery<OperatorOrderQuery>(query))),
      hrefOf: toOrder
    },
    refunds: {
      page: (query) => OperatorsApi.query("lookup", "refunds", requestOf(asQuery<RefundQuery>(query))),
      hrefOf: toOrder
    },
    disputes: {
      page: (query) => OperatorsApi.query("lookup", "disputes", requestOf(asQuery<DisputeQuery>(query))),
      hrefOf: toOrder
    },
    links: {
      page: (query) => OperatorsApi.query("lookup", "paymentLinks", requestOf(asQuery<PaymentLinkQuery>(query)))
    },
    ledger: {
      page: (query) => OperatorsApi.query("lookup", "balanceTransactions", requestOf(asQuery<LedgerQuery>(query)))
    },
    payouts: {
      page: (query) => OperatorsApi.query("payouts", "list", requestOf(asQuery<PayoutQuery>(query))),
      hrefOf: ({ payout_no }) => pageOf(payout_no)!
    },
    events: { page: (query) => OperatorsApi.query("lookup", "events", requestOf(eventQuery(query))) },
    deliveries: {
      page: (query) =>
        OperatorsApi.query("webhook_deliveries", "list", requestOf(asQuery<OperatorDeliveryQuery>(query))),
      hrefOf: ({ id }) => pageOf(id)!
    },
    webhooks: {
      page: (query) => OperatorsApi.query("lookup", "webhookEndpoints", requestOf(asQuery<PlainQuery>(query)))
    },
    logs: { page: (query) => OperatorsApi.query("lookup", "logs", requestOf(asQuery<LogQuery>(query))) },
    keys: { page: (query) => OperatorsApi.query("api_keys", "list", requestOf(asQuery<ApiKeyQuery>(query))) }
  }
}
