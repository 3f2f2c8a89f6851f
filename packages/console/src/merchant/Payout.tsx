/** The page of a payout: how far it is, its balance transactions, and the statement of its wallet up to it. */
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
import { Facts, type NamedFacts, ObjectPage } from "../parts/ObjectPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { Amount, State, Time } from "../parts/values.tsx"
import { useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { Movements } from "./Movements.tsx"
import { ReportTable } from "./ReportTable.tsx"

const texts = {
  en: {
    statement: "Balance up to this payout",
    statementSays:
      "A payout takes an amount out of the balance: no single payments belong to it. This statement begins after the previous payout and ends with this one.",
    names: {
      opening: "Left after the previous payout",
      closing: "Left after this payout",
      payout_freeze: "This payout"
    },
    progress: "Progress",
    steps: {
      requested: "Requested",
      approved: "Approved",
      succeeded: "Arrived at your bank",
      rejected: "Rejected",
      failed: "Returned by your bank"
    },
    past: "Done",
    next: "Not yet",
    unknown:
      "The operator sends it to your bank, and confirms here that it has arrived. No date of arrival is known before.",
    states: {
      requested: "Requested and waiting for approval. The amount is on hold until then.",
      approved: "Approved and on its way to your bank.",
      succeeded: "Paid to your bank account.",
      rejected: "Rejected. The amount is available again.",
      failed: "Your bank did not accept the payout. The amount is available again."
    }
  },
  zh: {
    statement: "截至此笔提现的余额",
    statementSays: "提现从余额中划出一笔金额，不对应具体的某些收款。此对账单从上一笔提现之后开始，到此笔提现为止。",
    names: { opening: "上一笔提现后的余额", closing: "此笔提现后的余额", payout_freeze: "此笔提现" },
    progress: "进度",
    steps: {
      requested: "已申请",
      approved: "已批准",
      succeeded: "已到达您的银行",
      rejected: "已拒绝",
      failed: "被银行退回"
    },
    past: "已完成",
    next: "尚未",
    unknown: "运营方将款项汇给您的银行，到账后在此确认。在此之前无法得知到账日期。",
    states: {
      requested: "已申请，等待批准，期间金额被冻结。",
      approved: "已批准，正在汇往您的银行账户。",
      succeeded: "已到达您的银行账户。",
      rejected: "已拒绝，金额已恢复可用。",
      failed: "银行未接受此笔提现，金额已恢复可用。"
    }
  }
}

type Texts = typeof texts.en

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
      <Loaded result={payout}>{({ data }) => <Progress payout={data} words={words} />}</Loaded>
      <Movements about={number} />
      <section className="card">
        <h2>{words.statement}</h2>
        <p className="soft small">{words.statementSays}</p>
        <Loaded result={made}>
          {({ data }) => <ReportTable report={data} title={words.statement} names={words.names} />}
        </Loaded>
      </section>
    </PayoutPage>
  )
}

type Status = PayoutResource["status"]

/** The steps of each way that it may take. */
const stepsTo: Readonly<Record<Status, ReadonlyArray<Status>>> = {
  requested: ["requested", "approved", "succeeded"],
  approved: ["requested", "approved", "succeeded"],
  succeeded: ["requested", "approved", "succeeded"],
  rejected: ["requested", "rejected"],
  failed: ["requested", "approved", "failed"]
}

/** A step whose time was not recorded is only done. */
const Progress = ({ payout, words }: { readonly payout: PayoutResource; readonly words: Texts }) => {
  const { approved_at, created_at, status, updated_at } = payout
  const steps = stepsTo[status]
  const reached = steps.indexOf(status)
  return (
    <section className="card">
      <h2>{words.progress}</h2>
      <Facts
        isBare
        facts={steps.map((step, index) => [
          words.steps[step],
          index > reached ? (
            words.next
          ) : (
            <Time
              key={step}
              at={index === 0 ? created_at : index === reached ? updated_at : approved_at}
              none={words.past}
            />
          )
        ])}
      />
      {reached < steps.length - 1 && <p className="soft small">{words.unknown}</p>}
    </section>
  )
}

export default Payout
