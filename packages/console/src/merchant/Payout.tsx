/** The page of a payout: where it is, its movements of money, and what it is made of. */
import type { PayoutResource } from "@coffer/contract/Payouts"
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { ObjectPage } from "../parts/ObjectPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { Amount, State, Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { Movements } from "./Movements.tsx"
import { ReportTable } from "./ReportTable.tsx"

const texts = {
  en: {
    payouts: "Payouts",
    fee: "Fee",
    reference: "Reference",
    created: "Requested",
    updated: "Updated",
    made: "Transactions in this payout",
    states: {
      requested: "Requested and waiting for approval. The amount is on hold until then.",
      approved: "Approved and on its way to your bank.",
      succeeded: "Paid to your bank account.",
      rejected: "Rejected. The amount is available again.",
      failed: "Your bank did not accept the payout. The amount is available again."
    }
  },
  zh: {
    payouts: "提现",
    fee: "手续费",
    reference: "参考号",
    created: "申请时间",
    updated: "更新时间",
    made: "包含的流水",
    states: {
      requested: "已申请，等待批准，期间金额被冻结。",
      approved: "已批准，正在汇往您的银行账户。",
      succeeded: "已到达您的银行账户。",
      rejected: "已拒绝，金额已恢复可用。",
      failed: "银行未接受此笔提现，金额已恢复可用。"
    }
  }
}

const Payout = ({ number }: { readonly number: string }) => {
  const { api, base, merchantId } = useAccount()
  const words = useWords(texts)
  const payout = useAtom(
    OwnApi.query("payouts", "get", {
      params: { merchant_id: merchantId, payout_no: number },
      reactivityKeys: shown
    })
  )
  const made = useAtom(api.query("reports", "payout", { query: { payout_no: number } as never, reactivityKeys: shown }))
  const payoutOf = (answer: unknown) => (answer as { readonly data: PayoutResource }).data
  return (
    <ObjectPage
      result={payout}
      back={[`${base}/payouts`, words.payouts]}
      number={number}
      head={(answer) => {
        const { amount, currency, status } = payoutOf(answer)
        return (
          <>
            <Amount minor={amount} currency={currency} /> <State of={status} />
          </>
        )
      }}
      facts={(answer) => {
        const { created_at, currency, fee, reference, updated_at } = payoutOf(answer)
        return [
          [words.fee, <Amount key="f" minor={fee} currency={currency} />],
          [words.reference, reference ?? "–"],
          [words.created, <Time key="c" at={created_at} />],
          [words.updated, <Time key="u" at={updated_at} />]
        ]
      }}
    >
      {(answer) => (
        <>
          <p className="note">{words.states[payoutOf(answer).status]}</p>
          <Movements about={number} />
          <section className="card">
            <h2>{words.made}</h2>
            <Loaded result={made}>{(report) => <ReportTable report={report} title={words.made} />}</Loaded>
          </section>
        </>
      )}
    </ObjectPage>
  )
}

export default Payout
