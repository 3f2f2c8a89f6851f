/** The page of a payout: its state, its balance transactions, and its reconciliation. */
import type { PayoutResource } from "@coffer/contract/Payouts"
import { payouts } from "@coffer/resources/wallets"
import type * as AsyncResult from "effect/reactivity/AsyncResult"
import { useApi } from "../api/accountApi.ts"
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { withoutFile } from "../api/lists.ts"
import { objectEvery, useLive } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { factsOf } from "../parts/declared.tsx"
import { type NamedFacts, ObjectPage } from "../parts/ObjectPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { Amount, State } from "../parts/values.tsx"
import { useLanguage, useWords, wordsIn } from "../parts/words.ts"
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

interface Props {
  readonly number: string
  readonly result: AsyncResult.AsyncResult<{ readonly data: PayoutResource }, unknown>
  /** The list that it belongs to. */
  readonly back: string
  /** What its state means for the reader. */
  readonly says: (payout: PayoutResource) => string
  readonly acts?: (payout: PayoutResource) => React.ReactNode
  /** Shown next to its state. */
  readonly mark?: (payout: PayoutResource) => React.ReactNode
  /** Further facts, shown first. */
  readonly facts?: (payout: PayoutResource) => NamedFacts
  readonly above?: React.ReactNode
  readonly children?: React.ReactNode
}

/** The page for any reader. */
export const PayoutPage = ({ above, acts, back, children, facts, mark, number, result, says }: Props) => {
  const language = useLanguage()
  return (
    <ObjectPage
      result={result}
      back={[back, wordsIn(payouts.listing.label, language)]}
      number={number}
      head={({ data }) => (
        <>
          <Amount minor={data.amount} currency={data.currency} /> <State of={data.status} /> {mark?.(data)}
        </>
      )}
      acts={({ data }) => acts?.(data)}
      facts={({ data }) => [...(facts?.(data) ?? []), ...factsOf(payouts, data, language)]}
    >
      {({ data }) => (
        <>
          {above}
          <p className="note">{says(data)}</p>
          {children}
        </>
      )}
    </ObjectPage>
  )
}

const Payout = ({ number }: { readonly number: string }) => {
  const { base, merchantId } = useAccount()
  const api = useApi()
  const words = useWords(texts)
  const payout = useLive(
    OwnApi.query("payouts", "get", {
      params: { merchant_id: merchantId, payout_no: number },
      reactivityKeys: shown
    }),
    objectEvery
  )
  const made = useLive(
    withoutFile(api.query("reports", "payout", { query: { payout_no: number }, reactivityKeys: shown })),
    objectEvery
  )
  return (
    <PayoutPage number={number} result={payout} back={`${base}/payouts`} says={({ status }) => words.states[status]}>
      <Movements about={number} />
      <section className="card">
        <h2>{words.made}</h2>
        <Loaded result={made}>{({ data }) => <ReportTable report={data} title={words.made} />}</Loaded>
      </section>
    </PayoutPage>
  )
}

export default Payout
