/** The page of an order: its timeline, refunds, disputes and receipt, and the actions that its status allows. */
import type { OrderResource } from "@coffer/contract/Orders"
import { orders } from "@coffer/resources/orders"
import { Link } from "wouter"
import { cardText } from "@coffer/model/PaymentMethod"
import type { DisputeResource } from "@coffer/contract/Disputes"
import type { RefundResource } from "@coffer/contract/Refunds"
import { disputes as declaredDisputes, refunds as declaredRefunds } from "@coffer/resources/returns"
import { useApi } from "../api/accountApi.ts"
import { shown } from "../api/acts.ts"
import { objectEvery, useLive } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { columnsOf, factsOf } from "../parts/declared.tsx"
import { type Column, type List, Rows } from "../parts/ListPage.tsx"
import { ObjectPage } from "../parts/ObjectPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { rowsOf } from "../parts/walkPages.ts"
import { Amount, State, Time } from "../parts/values.tsx"
import { isWeb } from "../parts/address.ts"
import { useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { Breakdown } from "./Breakdown.tsx"
import { disputeColumns, Disputed } from "./Disputes.tsx"
import { OrderActs } from "./OrderActs.tsx"
import { useReader } from "./reader.ts"
import { StatusTable } from "./StatusTable.tsx"
import { Story } from "./Story.tsx"

const texts = { en: { open: "Open" }, zh: { open: "打开" } }

/** While one of these is open, nothing is refunded. */
const isOpen = ({ status }: DisputeResource) => status === "needs_response" || status === "under_review"

const Order = ({ number }: { readonly number: string }) => {
  const { base } = useAccount()
  const api = useApi()
  const { lists } = useReader()
  const words = useWords(texts)
  const language = useLanguage()
  const disputes = rowsOf(useLive(lists.disputes.page(aboutOrder(number)), objectEvery))
  const disputed = disputes.find(isOpen)
  const order = useLive(api.query("orders", "get", { params: { ref: number }, reactivityKeys: shown }), objectEvery)
  return (
    <ObjectPage
      result={order}
      back={[`${base}/orders`, wordsIn(orders.listing.label, language)]}
      number={number}
      head={({ data: { amount, currency, status } }) => (
        <>
          <Amount minor={amount} currency={currency} /> <State of={status} />{" "}
          {disputed !== undefined && (
            <Link className="state bad" href={`${base}/disputes/${disputed.dispute_no}`}>
              <Disputed due={disputed.status === "needs_response" ? disputed.evidence_due_by : null} />
            </Link>
          )}
        </>
      )}
      acts={({ data }) => <OrderActs order={data} isDisputed={disputed !== undefined} />}
      facts={({ data }) => factsOf(orders, data, language, factsOfOwn(data, words.open))}
    >
      {({ data }) => (
        <>
          {data.fee !== null && <Breakdown order={data} disputes={disputes} />}
          {data.paid_at !== null && <Parts number={data.trade_no} />}
          <Story number={data.trade_no} currency={data.currency} />
          <StatusTable status={data.status} />
        </>
      )}
    </ObjectPage>
  )
}

/** Fields with a cell of their own. */
const factsOfOwn = ({ expires_at, paid_card, receipt_number, receipt_url, status }: OrderResource, open: string) => ({
  // The breakdown has them.
  fee: undefined,
  net_amount: undefined,
  refunded_amount: undefined,
  paid_card: paid_card === null ? undefined : cardText(paid_card),
  expires_at: status === "pending" ? <Time at={expires_at} /> : undefined,
  receipt_number:
    receipt_url === null || !isWeb(receipt_url) ? undefined : (
      <a href={receipt_url} target="_blank" rel="noreferrer">
        {receipt_number ?? open}
      </a>
    )
})

const aboutOrder = (number: string) => ({ trade_no: number, limit: "100" })

/** The newest refunds and disputes of the order; its timeline has all of them. */
const Parts = ({ number }: { readonly number: string }) => {
  const { lists } = useReader()
  const language = useLanguage()
  const about = aboutOrder(number)
  const refunds = useLive(lists.refunds.page(about), objectEvery)
  const disputes = useLive(lists.disputes.page(about), objectEvery)
  return (
    <>
      <Loaded result={refunds} lines={1}>
        {({ data: { data } }) => (
          <Part
            title={wordsIn(declaredRefunds.listing.label, language)}
            columns={columnsOf<RefundResource>(declaredRefunds, language).filter(({ id }) => id !== "trade_no")}
            rows={data}
            keyOf={({ refund_no }) => refund_no}
            hrefOf={lists.refunds.hrefOf}
          />
        )}
      </Loaded>
      <Loaded result={disputes} lines={1}>
        {({ data: { data } }) => (
          <Part
            title={wordsIn(declaredDisputes.listing.label, language)}
            columns={disputeColumns(language).filter(({ id }) => id !== "trade_no")}
            rows={data}
            keyOf={({ dispute_no }) => dispute_no}
            hrefOf={lists.disputes.hrefOf}
          />
        )}
      </Loaded>
    </>
  )
}

const Part = <Row,>(
  props: Pick<List<Row>, "hrefOf" | "keyOf" | "title"> & {
    readonly columns: ReadonlyArray<Column<Row>>
    readonly rows: ReadonlyArray<Row>
  }
) => {
  const { columns, rows, title } = props
  if (rows.length === 0) return null
  return (
    <section className="stack part">
      <h2>{title}</h2>
      <Rows list={props} columns={columns.filter(({ isHidden }) => isHidden !== true)} rows={rows} />
    </section>
  )
}

export default Order
