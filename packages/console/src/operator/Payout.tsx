/** A payout: its state, who has to approve it, and the next step. */
import type { PayoutResource } from "@coffer/contract/Payouts"
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { objectEvery, useLive } from "../api/registry.ts"
import { PayoutPage } from "../merchant/Payout.tsx"
import { thisPage } from "../parts/act.tsx"
import { useWords } from "../parts/words.ts"
import { WaitingFor } from "./approving.tsx"
import { MerchantLink, ModeMark, OwnMode, OperatorAct } from "./operator.tsx"
import { PayoutDecision } from "./payoutBrief.tsx"

const texts = {
  en: {
    merchant: "Merchant",
    mode: "Environment",
    approve: "Approve",
    approveSays:
      "Approves the transfer. Send the money to the bank afterwards. Above a set amount, a second operator has to approve it.",
    reject: "Reject",
    rejectSays: "The amount becomes available to the merchant again. This can't be undone.",
    complete: "Mark as paid",
    completeSays: "The bank has received it, and the fee is charged. This can't be undone.",
    fail: "Mark as failed",
    failSays: "The amount becomes available to the merchant again. This can't be undone.",
    steps: {
      requested: "Waiting for an operator to approve or reject it. The amount is on hold.",
      approved: "Approved. Send it to the bank, then mark it here as paid or failed.",
      succeeded: "Paid to the bank. No action is needed.",
      rejected: "Rejected. The amount is available to the merchant again.",
      failed: "Failed. The amount is available to the merchant again."
    }
  },
  zh: {
    merchant: "商户",
    mode: "环境",
    approve: "批准",
    approveSays: "批准汇款，请随后汇给银行。超过设定金额时，需要第二位运营人员批准。",
    reject: "拒绝",
    rejectSays: "金额将恢复为商户可用，此操作无法撤销。",
    complete: "标记为已到账",
    completeSays: "银行已收到，将收取手续费。此操作无法撤销。",
    fail: "标记为失败",
    failSays: "金额将恢复为商户可用，此操作无法撤销。",
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
  const payout = useLive(
    OperatorsApi.query("payouts", "get", { params: { payout_no: number }, reactivityKeys: shown }),
    objectEvery
  )
  return (
    <PayoutPage
      number={number}
      result={payout}
      back="/operator/payouts"
      mark={({ mode }) => <OwnMode mode={mode} />}
      says={({ status }) => words.steps[status]}
      acts={(data) => <Steps payout={data} words={words} />}
      facts={({ merchant_id, mode }) => [
        [words.merchant, <MerchantLink key="m" id={merchant_id} mode={mode} />],
        [words.mode, <ModeMark key="e" mode={mode} />]
      ]}
      above={<WaitingFor target={number} />}
    />
  )
}

/** The steps that its state allows. */
const Steps = ({ payout, words }: { readonly payout: PayoutResource; readonly words: Texts }) => {
  const { payout_no, status } = payout
  const says = (text: string) => (
    <>
      <PayoutDecision payout={payout} />
      <p>{text}</p>
    </>
  )
  const params = { payout_no }
  if (status === "requested")
    return (
      <>
        <OperatorAct
          act="payouts.approve"
          name={words.approve}
          isPrimary
          says={says(words.approveSays)}
          request={() => ({ params })}
        />
        <OperatorAct
          act="payouts.reject"
          name={words.reject}
          endangers={thisPage}
          says={says(words.rejectSays)}
          request={() => ({ params })}
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
        request={() => ({ params })}
      />
      <OperatorAct
        act="payouts.fail"
        name={words.fail}
        endangers={thisPage}
        says={says(words.failSays)}
        request={() => ({ params })}
      />
    </>
  )
}

export default Payout
