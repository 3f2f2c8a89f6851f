/** The list of orders, and creating one. */
import type { DisputeResource } from "@coffer/contract/Disputes"
import type { OrderQuery, OrderResource } from "@coffer/contract/Orders"
import { orders } from "@coffer/resources/orders"
import { accountApi, type AccountApi } from "../api/accountApi.ts"
import { act } from "../api/acts.ts"
import { objectEvery, useLive } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import type { InAccount } from "../api/session.ts"
import { columnsOf, filtersOf } from "../parts/declared.tsx"
import { currencyChoices, minorOf, Num, State } from "../parts/values.tsx"
import { ChoiceField, TextField } from "../parts/act.tsx"
import { AsCode } from "../parts/AsCode.tsx"
import type { BulkAct } from "../parts/BulkActs.tsx"
import { Address } from "../parts/Made.tsx"
import type { ListBy } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { stateText } from "../parts/stateWords.ts"
import { rowsOf, walkPages } from "../parts/walkPages.ts"
import { type Language, useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { paidAmountOf } from "./leftOf.ts"
import { Disputed } from "./Disputes.tsx"
import { ObjectList } from "./ObjectList.tsx"
import { type Reader, useReader } from "./reader.ts"
import { callOf, MerchantAct } from "./MerchantAct.tsx"
import { typedFields, typedIn, typedText } from "../parts/typed.tsx"

type Order = OrderResource

const texts = {
  en: {
    amount: "Amount",
    subject: "Subject",
    buyer: "Buyer",
    amountFrom: "Amount from",
    amountTo: "Amount to",
    number: "Order reference",
    create: "Create order",
    checkout: "Checkout page",
    currency: "Currency",
    createSays: "The response contains the URL of a checkout page. Redirect the buyer to it.",
    emptyTitle: "No orders yet",
    empty: "Create an order here or with the API. You can pay on its checkout page with a test card.",
    expire: "Expire",
    expireSays: "Orders that are waiting for a payment expire now. Their checkout pages stop accepting payments.",
    refund: "Refund",
    disputed: "Open dispute. It can be refunded once the dispute is decided.",
    refundSays:
      "The remaining amount of each paid order is refunded to the original payment method. Fees are not returned. This can't be undone.",
    numberHint: "Sending the same reference with the same details returns the same order."
  },
  zh: {
    amount: "金额",
    subject: "商品标题",
    buyer: "买家",
    amountFrom: "金额不低于",
    amountTo: "金额不高于",
    number: "商户订单号",
    create: "创建订单",
    checkout: "收银台页面",
    currency: "货币",
    createSays: "响应中包含收银台页面的 URL，请将买家跳转到该页面。",
    emptyTitle: "还没有订单",
    empty: "您可以在此或通过 API 创建订单，并在收银台页面使用测试卡付款。",
    expire: "设为过期",
    expireSays: "等待付款的订单将立即过期，其收银台页面不再接受付款。",
    refund: "退款",
    disputed: "争议处理中，裁决之后才能退款。",
    refundSays: "每个已付款订单的剩余金额将原路退回买家，手续费不退。此操作无法撤销。",
    numberHint: "使用相同的单号和内容重复提交，会返回同一订单。"
  }
}
type Texts = typeof texts.en

/** By what a merchant's people know an order. */
const aboutOrder = ({ out_trade_no, receipt_email, trade_no }: Order) => [out_trade_no ?? trade_no, receipt_email]

const expireAct = (api: AccountApi, words: Texts, language: Language): BulkAct<Order> => ({
  name: words.expire,
  says: words.expireSays,
  isDangerous: true,
  worth: ({ amount, currency }) => ({ minor: amount, currency }),
  unfit: ({ status }) => (status === "pending" ? undefined : stateText(status, language)),
  about: aboutOrder,
  run: ({ trade_no }) =>
    act(
      api,
      api.use((client) => client.orders.expire({ params: { ref: trade_no } }))
    )
})

interface RefundActParts extends Pick<Reader, "lists"> {
  readonly account: InAccount
  readonly language: Language
  readonly words: Texts
}

/** Open disputes that are read before a refund. Of the orders of others the service refuses it. */
const disputesMax = 2_000

/** Refunds the remaining amount of the row: if less remains by now, the refund is refused. */
const refundAct = ({ account, language, lists, words }: RefundActParts): BulkAct<Order> => ({
  name: words.refund,
  says: words.refundSays,
  isDangerous: true,
  money: (order) => ({ minor: paidAmountOf(order) - order.refunded_amount, currency: order.currency }),
  worth: ({ amount, currency }) => ({ minor: amount, currency }),
  unfit: ({ status }) =>
    status === "paid" || status === "partially_refunded" ? undefined : stateText(status, language),
  obstacles: async (patience) => {
    const disputed = new Map<string, string>()
    for (const status of ["needs_response", "under_review"]) {
      const list = { ...lists.disputes, keyOf: ({ dispute_no }: DisputeResource) => dispute_no }
      const walked = await walkPages(list, { status }, disputesMax, () => undefined, patience)
      if (!("rows" in walked)) return walked
      for (const { trade_no } of walked.rows) disputed.set(trade_no, words.disputed)
    }
    return disputed
  },
  about: aboutOrder,
  run: (order, number) =>
    act(
      accountApi(account),
      accountApi(account).use((client) =>
        client.refunds.create({
          payload: sent({
            trade_no: order.trade_no,
            out_refund_no: `rf-${number}`,
            amount: paidAmountOf(order) - order.refunded_amount
          })
        })
      )
    )
})

/** An amount is typed in whole units (`walkPages.ts`). */
type OrderFilters = OrderQuery & { readonly amount_from: string; readonly amount_to: string }

const listOf = ({ account, lists }: Reader, words: Texts, language: Language): ListBy<Order, OrderFilters> => ({
  id: "orders",
  title: wordsIn(orders.listing.label, language),
  columns: columnsOf<Order>(orders, language, {
    status: {
      cell: ({ dispute_status, status, trade_no }) => (
        <>
          <State of={status} /> {dispute_status === "open" && <DisputedOrder number={trade_no} />}
        </>
      )
    },
    receipt_email: { name: words.buyer, isHidden: false, isWide: true },
    payment_method: { isHidden: true }
  }),
  filters: [
    ...filtersOf(orders, language),
    { name: "amount_from", label: words.amountFrom, type: "amount" },
    { name: "amount_to", label: words.amountTo, type: "amount" }
  ],
  ...lists.orders,
  isSorted: true,
  keyOf: ({ trade_no }) => trade_no,
  acts: account?.may("orders:write") && <CreateOrder words={words} />,
  bulk: [
    ...(account?.may("refunds:write") && account.mayMoveMany ? [refundAct({ account, language, lists, words })] : []),
    ...(account?.may("orders:write") ? [expireAct(accountApi(account), words, language)] : [])
  ],
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
      <AsCode
        call={callOf(
          "orders.create",
          { payload: { amount: 1999, currency: "USD", subject: "Two books" } },
          "orders create --amount 1999"
        )}
      />
    </Empty>
  )
})

/** With the day of the answer, from one list for all rows: an order whose dispute is not in it has no day. */
const DisputedOrder = ({ number }: { readonly number: string }) => {
  const { lists } = useReader()
  const waiting = rowsOf(useLive(lists.disputes.page({ status: "needs_response", limit: "100" }), objectEvery))
  const dispute = waiting.find(({ trade_no }) => trade_no === number)
  return (
    <span className="state bad">
      <Disputed due={dispute?.evidence_due_by ?? null} />
    </span>
  )
}

const Orders = () => <ObjectList list={listOf(useReader(), useWords(texts), useLanguage())} />

const CreateOrder = ({ words }: { readonly words: Texts }) => {
  const bodyOf = (typed: FormData) => ({
    amount: minorOf(typedText(typed, "amount")) ?? 0,
    currency: typedIn(typed, "currency") ?? "USD",
    ...typedFields(typed, ["out_trade_no", "subject"])
  })
  return (
    <MerchantAct
      operation="orders.create"
      name={words.create}
      says={words.createSays}
      isPrimary
      fields={
        <>
          <TextField label={words.amount} name="amount" isRequired inputMode="decimal" />
          <ChoiceField label={words.currency} name="currency" choices={currencyChoices} />
          <TextField label={words.subject} name="subject" maxLength={255} />
          <TextField label={words.number} name="out_trade_no" hint={words.numberHint} />
        </>
      }
      request={(typed) => ({ payload: sent(bodyOf(typed)) })}
      result={({ data }) => <MadeOrder order={data} words={words} />}
    />
  )
}

const MadeOrder = ({ order, words }: { readonly order: Order; readonly words: Texts }) => {
  const { base } = useReader()
  return (
    <>
      <p>
        <Num id={order.trade_no} to={`${base}/orders/${order.trade_no}`} /> <State of={order.status} />
      </p>
      <Address url={order.checkout_url} label={words.checkout} />
    </>
  )
}

export default Orders
