/**
 * Actions on an order: refund, expire, send the receipt, edit; and in the sandbox act as the buyer.
 */
import type { OrderResource } from "@coffer/contract/Orders"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { randomId } from "../api/unsafePage.ts"
import { TextField, thisPage } from "../parts/act.tsx"
import { amountText, Copy, minorOf, typedOf } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { MerchantAct } from "./MerchantAct.tsx"
import { EditMetadata } from "./metadata.tsx"
import { paidAmountOf } from "./leftOf.ts"
import { Dispute, Pay } from "./SandboxActs.tsx"
import { typedFields, typedText } from "../parts/typed.tsx"

const texts = {
  en: {
    refund: "Refund",
    refundSays: "The buyer is refunded to the original payment method. This can't be undone.",
    disputed: "The buyer's bank has opened a dispute. Refunds are possible again once it is decided.",
    amount: "Amount",
    atMost: "Up to",
    number: "Refund reference",
    reason: "Reason",
    capture: "Capture",
    captureSays: "The buyer is charged this amount once. What is not charged is released. This can't be undone.",
    // Not "Cancel" alone: that closes each dialog.
    cancel: "Cancel payment",
    cancelSays: "The held amount is released, and the buyer is not charged. This can't be undone.",
    expire: "Expire",
    expireSays: "The checkout page stops accepting payments. This can't be undone.",
    receipt: "Send receipt",
    receiptSays: "Emails the receipt to the buyer. Limited to five emails an hour for each order.",
    email: "Send to",
    edit: "Edit",
    editSays: "The amount and the subject can't be changed. You can change the metadata and the receipt email.",
    receiptTo: "Receipt email",
    checkout: "Checkout page"
  },
  zh: {
    refund: "退款",
    refundSays: "款项将原路退回买家，此操作无法撤销。",
    disputed: "买家的银行已发起争议，裁决之后才能退款。",
    amount: "金额",
    atMost: "最多",
    number: "商户退款单号",
    reason: "原因",
    capture: "扣款",
    captureSays: "将向买家扣取此金额，只能扣款一次，未扣的部分会解冻，此操作无法撤销。",
    cancel: "取消授权",
    cancelSays: "将解冻所授权的金额，不会向买家扣款，此操作无法撤销。",
    expire: "设为过期",
    expireSays: "收银台页面将不再接受付款，此操作无法撤销。",
    receipt: "发送收据",
    receiptSays: "收据将通过邮件发送给买家，每个订单每小时最多发送五次。",
    email: "收件人",
    edit: "编辑",
    editSays: "金额和标题不可更改。您可以修改元数据和收据邮箱。",
    receiptTo: "收据邮箱",
    checkout: "收银台页面"
  }
}
type Texts = typeof texts.en

interface Props {
  readonly order: OrderResource
  readonly words: Texts
}

export const OrderActs = (props: { readonly order: OrderResource; readonly isDisputed: boolean }) => {
  const { isDisputed, order } = props
  const { may, mode } = useAccount()
  const words = useWords(texts)
  const { checkout_url, status } = order
  const isPaid = status === "paid" || status === "partially_refunded"
  const isPending = status === "pending"
  return (
    <>
      {may("refunds:write") && isPaid && (
        <Refund order={order} words={words} notNow={isDisputed ? words.disputed : undefined} />
      )}
      {isPending && (
        <>
          <a className="button" href={checkout_url} target="_blank" rel="noreferrer">
            {words.checkout}
          </a>
          <Copy text={checkout_url} label={words.checkout} />
        </>
      )}
      {may("orders:write") && (
        <>
          {status === "authorized" && <Capture order={order} words={words} />}
          {status === "authorized" && <Expire order={order} name={words.cancel} says={words.cancelSays} />}
          {isPending && <Expire order={order} name={words.expire} says={words.expireSays} />}
          {(isPaid || status === "refunded") && <SendReceipt order={order} words={words} />}
          <Edit order={order} words={words} />
        </>
      )}
      {mode === "sandbox" && may("test_helpers:write") && <Pay order={order} />}
      {mode === "sandbox" && may("test_helpers:write") && isPaid && <Dispute order={order} />}
    </>
  )
}

const Refund = ({ notNow, order, words }: Props & { readonly notNow: string | undefined }) => {
  const language = useLanguage()
  const { currency, refunded_amount, trade_no } = order
  const left = paidAmountOf(order) - refunded_amount
  const bodyOf = (typed: FormData) => ({
    trade_no,
    amount: minorOf(typedText(typed, "amount")) ?? 0,
    ...typedFields(typed, ["out_refund_no", "reason"])
  })
  return (
    <MerchantAct
      operation="refunds.create"
      name={words.refund}
      notNow={notNow}
      isPrimary
      says={words.refundSays}
      fields={
        <>
          <TextField
            label={`${words.amount} (${currency})`}
            name="amount"
            isRequired
            inputMode="decimal"
            initial={typedOf(left)}
            hint={`${words.atMost} ${amountText(left, currency, language)}`}
          />
          <TextField label={words.number} name="out_refund_no" initial={`rf-${randomId().slice(0, 8)}`} />
          <TextField label={words.reason} name="reason" maxLength={500} />
        </>
      }
      request={(typed) => ({ payload: sent(bodyOf(typed)) })}
      cli={(typed) => `refunds create ${trade_no} --amount ${bodyOf(typed).amount}`}
    />
  )
}

const Capture = ({ order: { amount, currency, trade_no }, words }: Props) => {
  const language = useLanguage()
  return (
    <MerchantAct
      operation="orders.capture"
      name={words.capture}
      isPrimary
      says={words.captureSays}
      fields={
        <TextField
          label={`${words.amount} (${currency})`}
          name="amount"
          isRequired
          inputMode="decimal"
          initial={typedOf(amount)}
          hint={`${words.atMost} ${amountText(amount, currency, language)}`}
        />
      }
      request={(typed) => ({
        params: { ref: trade_no },
        payload: sent({ amount: minorOf(typedText(typed, "amount")) ?? 0 })
      })}
      cli={(typed) => `orders capture ${trade_no} --amount ${minorOf(typedText(typed, "amount")) ?? 0}`}
    />
  )
}

interface Ending {
  readonly order: OrderResource
  readonly name: string
  readonly says: string
}

const Expire = ({ order: { trade_no }, name, says }: Ending) => {
  return (
    <MerchantAct
      operation="orders.expire"
      name={name}
      endangers={thisPage}
      says={says}
      request={() => ({ params: { ref: trade_no } })}
    />
  )
}

const SendReceipt = ({ order: { receipt_email, trade_no }, words }: Props) => {
  const bodyOf = (typed: FormData) => ({ email: typedText(typed, "email") })
  return (
    <MerchantAct
      operation="receipts.sendReceipt"
      name={words.receipt}
      says={words.receiptSays}
      fields={<TextField label={words.email} name="email" type="email" isRequired initial={receipt_email ?? ""} />}
      request={(typed) => ({ params: { ref: trade_no }, payload: sent(bodyOf(typed)) })}
    />
  )
}

const Edit = ({ order: { metadata, receipt_email, trade_no }, words }: Props) => (
  <EditMetadata
    operation="orders.update"
    params={{ ref: trade_no }}
    initial={metadata}
    name={words.edit}
    says={words.editSays}
    fields={<TextField label={words.receiptTo} name="receipt_email" type="email" initial={receipt_email ?? ""} />}
    changed={(typed) => {
      const email = typedText(typed, "receipt_email")
      return sent(email === (receipt_email ?? "") ? {} : { receipt_email: email === "" ? null : email })
    }}
  />
)
