/** The list of disputes, with the time that is left for each answer. */
import type { DisputeQuery, DisputeResource } from "@coffer/contract/Disputes"
import { disputes } from "@coffer/resources/returns"
import { accountApi, type AccountApi } from "../api/accountApi.ts"
import { act } from "../api/acts.ts"
import { AsCode } from "../parts/AsCode.tsx"
import type { BulkAct } from "../parts/BulkActs.tsx"
import { columnsOf, filtersOf } from "../parts/declared.tsx"
import type { Column, ListBy } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { stateText } from "../parts/stateWords.ts"
import { dayText, Time, timeText } from "../parts/values.tsx"
import { type Language, useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { useNow } from "../parts/accountClock.ts"
import { reasonText } from "./moneyWords.ts"
import { callOf } from "./MerchantAct.tsx"
import { ObjectList } from "./ObjectList.tsx"
import { leftText } from "./leftText.ts"
import { type Reader, useReader } from "./reader.ts"

const texts = {
  en: {
    accept: "Accept",
    acceptSays:
      "You accept every dispute that is waiting for evidence: the buyers keep the funds and you are charged the dispute fees. This can't be undone.",
    emptyTitle: "No disputes",
    empty:
      "When buyers don't recognize a payment, they can ask their bank to reverse it. You respond here, with evidence.",
    emptySandbox: "To try it, open a paid order and choose “Dispute as the buyer”.",
    over: "Overdue",
    disputed: "Disputed",
    answerBy: "answer by"
  },
  zh: {
    accept: "接受",
    acceptSays: "接受所有待回应的争议：款项归买家所有，并收取争议费。此操作无法撤销。",
    emptyTitle: "没有争议",
    empty: "买家不认可某笔付款时，可要求银行撤回。您可在此提交证据进行回应。",
    emptySandbox: "如需体验，请打开已付款的订单，然后选择“模拟买家发起争议”。",
    over: "已逾期",
    disputed: "有争议",
    answerBy: "回应截止"
  }
}
type Texts = typeof texts.en

const dash = <span className="soft">–</span>

/** A live countdown to a deadline, by the account's clock; the date itself while that is not known. */
export const Due = ({ at, isOpen }: { readonly at: string | null; readonly isOpen: boolean }) => {
  const words = useWords(texts)
  const language = useLanguage()
  const now = useNow()
  if (at === null || !isOpen) return dash
  if (now === undefined) return <Time at={at} />
  const left = leftText(at, now, language)
  const isNear = Date.parse(at) - now < 2 * 86_400_000
  return (
    <time dateTime={at} title={timeText(at, language, "full")} className={isNear ? "deadline near" : "deadline"}>
      {left ?? words.over}
    </time>
  )
}

/** An order under dispute, and until when to answer. */
export const Disputed = ({ due }: { readonly due: string | null }) => {
  const words = useWords(texts)
  const language = useLanguage()
  const now = useNow()
  return (
    <>
      {words.disputed}
      {due !== null && ` · ${words.answerBy} ${dayText(due, language, now)}`}
    </>
  )
}

export const disputeColumns = (language: Language): ReadonlyArray<Column<DisputeResource>> =>
  columnsOf(disputes, language, {
    evidence_due_by: {
      cell: ({ evidence_due_by, status }) => <Due at={evidence_due_by} isOpen={status === "needs_response"} />
    },
    reason: { cell: ({ reason }) => reasonText(reason, language) }
  })

const acceptAct = (api: AccountApi, words: Texts, language: Language): BulkAct<DisputeResource> => ({
  name: words.accept,
  says: words.acceptSays,
  isDangerous: true,
  money: ({ amount, currency }) => ({ minor: amount, currency }),
  unfit: ({ status }) => (status === "needs_response" ? undefined : stateText(status, language)),
  about: ({ dispute_no, out_trade_no }) => [dispute_no, out_trade_no],
  run: ({ dispute_no }) =>
    act(
      api,
      api.use((client) => client.disputes.accept({ params: { ref: dispute_no } }))
    )
})

const listOf = (
  { account, lists }: Reader,
  words: Texts,
  language: Language
): ListBy<DisputeResource, DisputeQuery> => ({
  id: "disputes",
  title: wordsIn(disputes.listing.label, language),
  columns: disputeColumns(language),
  filters: filtersOf(disputes, language),
  ...lists.disputes,
  isSorted: true,
  keyOf: ({ dispute_no }) => dispute_no,
  bulk: account?.may("disputes:write") && account.mayMoveMany ? [acceptAct(accountApi(account), words, language)] : [],
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
      {account?.mode === "sandbox" && (
        <>
          <p>{words.emptySandbox}</p>
          <AsCode
            call={callOf("test_helpers.dispute", {
              params: { ref: "TRD_…" },
              payload: { reason: "product_not_received" }
            })}
          />
        </>
      )}
    </Empty>
  )
})

/** The list, also for parts of other pages. */
export const useDisputes = () => listOf(useReader(), useWords(texts), useLanguage())

const Disputes = () => <ObjectList list={useDisputes()} />

export default Disputes
