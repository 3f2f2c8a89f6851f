/** The page of a payout: where it is, its movements of money, and what it is made of. */
import type { PayoutResource } from "@coffer/contract/Payouts"
import { payouts } from "@coffer/resources/wallets"
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { factsOf } from "../parts/declared.tsx"
import { ObjectPage } from "../parts/ObjectPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { Amount, State } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { Movements } from "./Movements.tsx"
import { ReportTable } from "./ReportTable.tsx"

const texts = {
  en: {
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
  const language = useLanguage()
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
      back={[`${base}/payouts`, payouts.listing.label[language]]}
      number={number}
      head={(answer) => {
        const { amount, currency, status } = payoutOf(answer)
        return (
          <>
            <Amount minor={amount} currency={currency} /> <State of={status} />
          </>
        )
      }}
      facts={(answer) => factsOf(payouts, payoutOf(answer), language)}
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
