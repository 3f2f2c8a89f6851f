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
    fee: "Fee when it arrives",
    reference: "Your number",
    created: "Asked for",
    updated: "Last change",
    approve: "Approve",
    approveSays:
      "The money may go to the bank. Send it there after that. Above a sum, a second operator has to approve it.",
    reject: "Reject",
    rejectSays: "The merchant can use the amount again. It cannot be taken back.",
    complete: "It has arrived",
    completeSays: "The bank has it. The fee is charged. It cannot be taken back.",
    fail: "It did not arrive",
    failSays: "The merchant can use the amount again. It cannot be taken back.",
    way: "Its way",
    steps: {
      requested: "It waits for an operator who approves or rejects it. Its amount is frozen in the wallet.",
      approved: "It was approved. Send it to the bank, then report here whether it arrived.",
      succeeded: "The bank has it. Nothing is to be done.",
      rejected: "It was rejected. The merchant can use the amount again.",
      failed: "It did not arrive. The merchant can use the amount again."
    }
  },
  zh: {
    payouts: "出款",
    merchant: "商户",
    mode: "环境",
    fee: "到账时的手续费",
    reference: "您的编号",
    created: "申请时间",
    updated: "最近变更",
    approve: "批准",
    approveSays: "款项可以打给银行，请随后汇出。超过一定金额需要第二位运营人员批准。",
    reject: "拒绝",
    rejectSays: "该金额将重新可用于商户，无法撤销。",
    complete: "已到账",
    completeSays: "银行已收到，将收取手续费，无法撤销。",
    fail: "未到账",
    failSays: "该金额将重新可用于商户，无法撤销。",
    way: "进度",
    steps: {
      requested: "等待运营人员批准或拒绝，金额在钱包中冻结。",
      approved: "已批准。请汇给银行，然后在此报告是否到账。",
      succeeded: "银行已收到，无需操作。",
      rejected: "已拒绝，商户可再次使用该金额。",
      failed: "未到账，商户可再次使用该金额。"
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
