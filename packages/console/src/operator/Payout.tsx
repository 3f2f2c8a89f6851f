/** A payout: where it is, who has to approve it, and the step that is next. */
import type { PayoutResource } from "@coffer/contract/Payouts"
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { useAtom } from "../api/registry.ts"
import { ObjectPage } from "../parts/ObjectPage.tsx"
import { Amount, amountText, State, Time } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { WaitingFor } from "./approving.tsx"
import { MerchantLink, ModeMark, OperatorAct } from "./operator.tsx"

const texts = {
  en: {
    payouts: "Payouts",
    merchant: "Merchant",
    mode: "Environment",
    fee: "Fee on arrival",
    reference: "Reference",
    created: "Requested",
    updated: "Updated",
    approve: "Approve",
    approveSays:
      "Approves the transfer. Send the money to the bank afterwards. Above a set amount, a second operator has to approve it.",
    reject: "Reject",
    rejectSays: "The amount becomes available to the merchant again. This can't be undone.",
    complete: "Mark as paid",
    completeSays: "The bank has received it, and the fee is charged. This can't be undone.",
    fail: "Mark as failed",
    failSays: "The amount becomes available to the merchant again. This can't be undone.",
    way: "Timeline",
    steps: {
      requested: "Waiting for an operator to approve or reject it. The amount is on hold.",
      approved: "Approved. Send it to the bank, then mark it here as paid or failed.",
      succeeded: "Paid to the bank. No action is needed.",
      rejected: "Rejected. The amount is available to the merchant again.",
      failed: "Failed. The amount is available to the merchant again."
    }
  },
  zh: {
    payouts: "出款",
    merchant: "商户",
    mode: "环境",
    fee: "到账时的手续费",
    reference: "您的参考号",
    created: "申请时间",
    updated: "最近变更",
    approve: "批准",
    approveSays: "批准汇款，请随后汇给银行。超过设定金额时，需要第二位运营人员批准。",
    reject: "拒绝",
    rejectSays: "金额将恢复为商户可用，此操作无法撤销。",
    complete: "标记为已到账",
    completeSays: "银行已收到，将收取手续费。此操作无法撤销。",
    fail: "标记为失败",
    failSays: "金额将恢复为商户可用，此操作无法撤销。",
    way: "时间线",
    steps: {
      requested: "等待运营人员批准或拒绝，金额已冻结。",
      approved: "已批准。请汇给银行，然后在此标记为已到账或失败。",
      succeeded: "银行已收到，无需操作。",
      rejected: "已拒绝，金额已恢复为商户可用。",
      failed: "失败，金额已恢复为商户可用。"
    }
  }
}
type Texts = typeof texts.en

const Payout = ({ number }: { readonly number: string }) => {
  const words = useWords(texts)
  const payout = useAtom(OperatorsApi.query("payouts", "get", { params: { payout_no: number }, reactivityKeys: shown }))
  return (
    <ObjectPage
      result={payout}
      back={["/operator/payouts", words.payouts]}
      number={number}
      head={({ data: { amount, currency, mode, status } }) => (
        <>
          <Amount minor={amount} currency={currency} /> <State of={status} /> <ModeMark mode={mode} />
        </>
      )}
      acts={({ data }) => <Steps payout={data} words={words} />}
      facts={({ data }) => [
        [words.merchant, <MerchantLink key="m" id={data.merchant_id} mode={data.mode} />],
        [words.mode, <ModeMark key="e" mode={data.mode} />],
        [words.fee, <Amount key="f" minor={data.fee} currency={data.currency} />],
        [words.reference, data.reference ?? "–"],
        [words.created, <Time key="c" at={data.created_at} />],
        [words.updated, <Time key="u" at={data.updated_at} />]
      ]}
    >
      {({ data: { payout_no, status } }) => (
        <>
          <WaitingFor target={payout_no} />
          <section className="card">
            <h2>{words.way}</h2>
            <p>{words.steps[status]}</p>
          </section>
        </>
      )}
    </ObjectPage>
  )
}

/** The steps that its state allows. */
const Steps = ({ payout, words }: { readonly payout: PayoutResource; readonly words: Texts }) => {
  const language = useLanguage()
  const { amount, currency, payout_no, status } = payout
  const says = (text: string) => (
    <p>
      <strong>{amountText(amount, currency, language)}</strong>: {text}
    </p>
  )
  const params = { payout_no }
  const code = (step: string) => () => ({ method: "POST" as const, path: `/operator/v1/payouts/${payout_no}/${step}` })
  if (status === "requested")
    return (
      <>
        <OperatorAct
          act="payouts.approve"
          name={words.approve}
          isPrimary
          says={says(words.approveSays)}
          call={(client) => client.payouts.approve({ params })}
          code={code("approve")}
        />
        <OperatorAct
          act="payouts.reject"
          name={words.reject}
          isDangerous
          says={says(words.rejectSays)}
          call={(client) => client.payouts.reject({ params })}
          code={code("reject")}
        />
      </>
    )
  if (status !== "approved") return null
  return (
    <>
      <OperatorAct
        act="payouts.complete"
        name={words.complete}
        isPrimary
        says={says(words.completeSays)}
        call={(client) => client.payouts.complete({ params })}
        code={code("complete")}
      />
      <OperatorAct
        act="payouts.fail"
        name={words.fail}
        isDangerous
        says={says(words.failSays)}
        call={(client) => client.payouts.fail({ params })}
        code={code("fail")}
      />
    </>
  )
}

export default Payout
