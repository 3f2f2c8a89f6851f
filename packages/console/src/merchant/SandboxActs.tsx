/** Acts of buyers and banks, by hand: pay, dispute, settle a refund, decide a dispute. */
import type { OrderResource } from "@coffer/contract/Orders"
import { PaymentMethod, walletNames } from "@coffer/model/PaymentMethod"
import { useId, useRef } from "react"
import { useLocation } from "wouter"
import { useAtom } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { ChoiceField, Field, TextField } from "../parts/act.tsx"
import { rowsOf } from "../parts/walkPages.ts"
import { amountText, methodText, minorOf, typedOf } from "../parts/values.tsx"
import { stateText } from "../parts/stateWords.ts"
import { useLanguage, useWords } from "../parts/words.ts"
import { useNow } from "../parts/accountClock.ts"
import { paidAmountOf } from "./leftOf.ts"
import { MerchantAct } from "./MerchantAct.tsx"
import { reasonText } from "./moneyWords.ts"
import { useReader } from "./reader.ts"
import { typedFields, typedIn, typedText } from "../parts/typed.tsx"

const texts = {
  en: {
    pay: "Pay an order",
    paySays: "Pays the order as its buyer would.",
    order: "Order",
    orderHint: "Trade number or your order reference. The latest orders are suggested.",
    method: "Payment method",
    first: "First available",
    outcome: "Outcome",
    payOrder: "Pay as the buyer",
    payOrderSays: "Test payment. No real money moves.",
    outcomes: {
      succeed: "The payment succeeds",
      decline: "The attempt is declined; the order stays pending",
      fail: "The channel rejects the payment; the order fails",
      redirect: "The buyer is at the bank's page and can't be stopped",
      succeed_unreported: "Paid, but the channel has not reported it yet"
    },
    amount: "Amount received",
    amountHint: "Leave empty for the full amount. A different amount is not credited but set aside.",
    dispute: "Dispute a payment",
    disputeSays: `The buyer's bank takes the amount back until the dispute is resolved. Cards, ${walletNames("en", " and ")} only.`,
    disputeOrder: "Dispute as the buyer",
    left: "Remaining on this payment:",
    disputeAmount: "Disputed amount",
    wholeHint: "Leave empty for the full amount.",
    reason: "Reason",
    due: "Evidence due",
    dues: { 7: "in 7 days", 1: "in 1 day", 0: "no deadline" },
    settle: "Settle a refund",
    refund: "Refund",
    refundHint: "A pending refund: Alipay and WeChat Pay refunds stay pending at first.",
    settled: { succeeded: "Paid to the buyer", failed: "Rejected by the bank" },
    resolve: "Resolve a dispute",
    disputeNumber: "Dispute",
    resolved: { won: "You win", lost: "You lose", closed: "The buyer's bank withdraws" }
  },
  zh: {
    pay: "支付订单",
    paySays: "像买家一样支付该订单。",
    order: "订单",
    orderHint: "平台订单号或商户订单号，可从最近的订单中选择。",
    method: "支付方式",
    first: "第一种可用方式",
    outcome: "结果",
    payOrder: "模拟买家付款",
    payOrderSays: "测试付款，不会产生真实资金流动。",
    outcomes: {
      succeed: "付款成功",
      decline: "付款被拒，订单仍待付款",
      fail: "渠道拒绝付款，订单失败",
      redirect: "买家正在银行页面，无法中止",
      succeed_unreported: "已付款，但渠道尚未通知"
    },
    amount: "到账金额",
    amountHint: "留空表示全额。金额不一致的付款不会入账，将等待人工处理。",
    dispute: "发起争议",
    disputeSays: `争议结束之前，买家的银行会收回该金额。仅适用于银行卡、${walletNames("zh", " 和 ")}。`,
    disputeOrder: "模拟买家发起争议",
    left: "此付款剩余金额：",
    disputeAmount: "争议金额",
    wholeHint: "留空表示全额。",
    reason: "原因",
    due: "证据提交期限",
    dues: { 7: "7 天内", 1: "1 天内", 0: "无" },
    settle: "结算退款",
    refund: "退款",
    refundHint: "处理中的退款。支付宝和微信支付的退款会先处于处理中状态。",
    settled: { succeeded: "款项已到账", failed: "银行拒绝" },
    resolve: "裁决争议",
    disputeNumber: "争议",
    resolved: { won: "您胜诉", lost: "您败诉", closed: "买家银行撤回" }
  }
}

const amountOf = (typed: FormData) => {
  const amount = minorOf(typedText(typed, "amount"))
  return amount === undefined ? {} : { amount }
}

/** A field for a number, with suggestions from the newest objects. */
const NumberField = (props: {
  readonly label: string
  readonly hint: string
  readonly name: string
  readonly offers: ReadonlyArray<readonly [number: string, text: string]>
}) => {
  const offers = useId()
  // The first one that came. Newer ones replace neither it nor what was typed.
  const first = useRef<string>(undefined)
  first.current ??= props.offers[0]?.[0]
  return (
    <Field label={props.label} hint={props.hint}>
      {(id, described) => (
        <>
          <input
            id={id}
            name={props.name}
            list={offers}
            required
            maxLength={64}
            autoComplete="off"
            aria-describedby={described}
            defaultValue={first.current ?? ""}
          />
          <datalist id={offers}>
            {props.offers.map(([number, shownAs]) => (
              <option key={number} value={number} label={shownAs} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

const OrderField = ({ status }: { readonly status: "pending" | "paid" }) => {
  const { lists } = useReader()
  const words = useWords(texts)
  const language = useLanguage()
  const rows = rowsOf(useAtom(lists.orders.page({ status, limit: "25" })))
  return (
    <NumberField
      label={words.order}
      hint={words.orderHint}
      name="order"
      offers={rows.map(({ amount, currency, out_trade_no, trade_no }) => [
        trade_no,
        `${amountText(amount, currency, language)} · ${out_trade_no}`
      ])}
    />
  )
}

interface OfOrder {
  /** Without one it is typed. */
  readonly order?: OrderResource
}

const refOf = (order: OrderResource | undefined, typed: FormData) => order?.trade_no ?? typedText(typed, "order")

export const Pay = ({ order }: OfOrder) => {
  const { base } = useAccount()
  const words = useWords(texts)
  const language = useLanguage()
  const [, go] = useLocation()
  const bodyOf = (typed: FormData) => ({
    ...typedFields(typed, ["payment_method"]),
    outcome: typedIn(typed, "outcome") ?? "succeed",
    ...amountOf(typed)
  })
  return (
    <MerchantAct
      operation="test_helpers.pay"
      name={order === undefined ? words.pay : words.payOrder}
      says={order === undefined ? words.paySays : words.payOrderSays}
      fields={
        <>
          {order === undefined && <OrderField status="pending" />}
          <ChoiceField label={words.outcome} name="outcome" choices={Object.entries(words.outcomes)} />
          <ChoiceField
            label={words.method}
            name="payment_method"
            choices={[
              ["", words.first],
              ...PaymentMethod.literals.map((each) => [each, methodText(each, language)] as const)
            ]}
          />
          <TextField label={words.amount} name="amount" inputMode="decimal" hint={words.amountHint} />
        </>
      }
      request={(typed) => ({ params: { ref: refOf(order, typed) }, payload: sent(bodyOf(typed)) })}
      onAnswer={({ data }) => order === undefined && go(`${base}/orders/${data.trade_no}`)}
    />
  )
}

const disputeReasons = [
  "product_not_received",
  "fraudulent",
  "product_unacceptable",
  "duplicate",
  "credit_not_processed",
  "subscription_canceled"
]

export const Dispute = ({ order }: OfOrder) => {
  const { base } = useAccount()
  const words = useWords(texts)
  const language = useLanguage()
  const [, go] = useLocation()
  const now = useNow()
  const left = order === undefined ? undefined : paidAmountOf(order) - order.refunded_amount
  const bodyOf = (typed: FormData) => {
    const days = typedText(typed, "days")
    return {
      ...amountOf(typed),
      ...typedFields(typed, ["reason"]),
      ...(days === "0" ? { evidence_due_by: null } : {}),
      ...(days === "1" ? { evidence_due_by: new Date((now ?? Date.now()) + 86_400_000).toISOString() } : {})
    }
  }
  return (
    <MerchantAct
      operation="test_helpers.dispute"
      name={order === undefined ? words.dispute : words.disputeOrder}
      says={words.disputeSays}
      fields={
        <>
          {order === undefined && <OrderField status="paid" />}
          <TextField
            label={words.disputeAmount}
            name="amount"
            inputMode="decimal"
            initial={left === undefined ? "" : typedOf(left)}
            hint={left === undefined ? words.wholeHint : `${words.left} ${amountText(left, order!.currency, language)}`}
          />
          <ChoiceField
            label={words.reason}
            name="reason"
            choices={disputeReasons.map((each) => [each, reasonText(each, language)])}
          />
          <ChoiceField
            label={words.due}
            name="days"
            initial="7"
            choices={(["7", "1", "0"] as const).map((days) => [days, words.dues[days]])}
          />
        </>
      }
      request={(typed) => ({ params: { ref: refOf(order, typed) }, payload: sent(bodyOf(typed)) })}
      cli={() => "trigger dispute.created"}
      onAnswer={({ data }) => order === undefined && go(`${base}/disputes/${data.dispute_no}`)}
    />
  )
}

export const Settle = () => {
  const words = useWords(texts)
  const language = useLanguage()
  const rows = rowsOf(useAtom(useReader().lists.refunds.page({ status: "pending", limit: "25" })))
  const outcomeOf = (typed: FormData) => typedText(typed, "outcome") as "succeeded" | "failed"
  return (
    <MerchantAct
      operation="test_helpers.settleRefund"
      name={words.settle}
      fields={
        <>
          <NumberField
            label={words.refund}
            hint={words.refundHint}
            name="refund"
            offers={rows.map(({ amount, currency, refund_no }) => [refund_no, amountText(amount, currency, language)])}
          />
          <ChoiceField label={words.outcome} name="outcome" choices={Object.entries(words.settled)} />
        </>
      }
      request={(typed) => ({ params: { ref: typedText(typed, "refund") }, payload: { outcome: outcomeOf(typed) } })}
    />
  )
}

export const Resolve = () => {
  const words = useWords(texts)
  const language = useLanguage()
  const rows = rowsOf(useAtom(useReader().lists.disputes.page({ limit: "25" })))
  const outcomeOf = (typed: FormData) => typedText(typed, "outcome") as "won" | "lost" | "closed"
  return (
    <MerchantAct
      operation="test_helpers.resolveDispute"
      name={words.resolve}
      fields={
        <>
          <NumberField
            label={words.disputeNumber}
            hint={words.orderHint}
            name="dispute"
            offers={rows.map(({ amount, currency, dispute_no, status }) => [
              dispute_no,
              `${amountText(amount, currency, language)} · ${stateText(status, language)}`
            ])}
          />
          <ChoiceField label={words.outcome} name="outcome" choices={Object.entries(words.resolved)} />
        </>
      }
      request={(typed) => ({ params: { ref: typedText(typed, "dispute") }, payload: { outcome: outcomeOf(typed) } })}
    />
  )
}
