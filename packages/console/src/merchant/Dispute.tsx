/** The page of a dispute: its deadline, the evidence, accepting it; and in the sandbox the bank's decision. */
import type { DisputeResource } from "@coffer/contract/Disputes"
import { disputes } from "@coffer/resources/returns"
import { Link } from "wouter"
import { useApi } from "../api/accountApi.ts"
import { shown } from "../api/acts.ts"
import { objectEvery, useAtom, useLive } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { ChoiceField, thisPage } from "../parts/act.tsx"
import { factsOf } from "../parts/declared.tsx"
import { ObjectPage } from "../parts/ObjectPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { stateText } from "../parts/stateWords.ts"
import { Amount, amountText, State, timeText } from "../parts/values.tsx"
import { useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { Due } from "./Disputes.tsx"
import { Evidence } from "./Evidence.tsx"
import { stepOf } from "./find.ts"
import { MerchantAct } from "./MerchantAct.tsx"
import { Movements } from "./Movements.tsx"
import { reasonText } from "./moneyWords.ts"

const texts = {
  en: {
    story: "View in order timeline",
    accept: "Accept dispute",
    acceptSays: "The buyer keeps the disputed amount and you are charged the dispute fee. This can't be undone.",
    resolve: "Resolve as the bank",
    resolveSays: "Test only: the bank decides the dispute. “Won” is also possible after a loss, as after an appeal.",
    outcome: "Bank's decision",
    outcomes: {
      won: "Won: the funds are returned to you",
      lost: "Lost: the buyer keeps the funds",
      closed: "Closed: the buyer withdraws"
    },
    needs:
      "The buyer's bank is waiting for your response. Submit evidence or accept the dispute. If you don't respond, you lose it.",
    noDeadline: "The bank has set no deadline.",
    dueAt: "Respond by",
    review: "The bank is reviewing your evidence. No action is needed.",
    won: "You won this dispute. The funds have been returned to you.",
    lost: "You lost this dispute. The buyer keeps the funds.",
    closedNote: "The buyer's bank withdrew the dispute. The funds have been returned to you."
  },
  zh: {
    story: "在订单时间线中查看",
    accept: "接受争议",
    acceptSays: "争议金额归买家所有，并收取争议费。此操作无法撤销。",
    resolve: "模拟银行裁决",
    resolveSays: "仅测试：由银行裁决争议。败诉后也可能因申诉改判为胜诉。",
    outcome: "裁决结果",
    outcomes: { won: "胜诉：款项返还给您", lost: "败诉：款项归买家所有", closed: "关闭：买家撤回争议" },
    needs: "买家的银行正在等待您的回应。请提交证据或接受争议；逾期未回应将判为败诉。",
    noDeadline: "银行未设截止时间。",
    dueAt: "回应截止时间：",
    review: "银行正在审核您的证据，您无需进行任何操作。",
    won: "您已胜诉，款项已返还给您。",
    lost: "您已败诉，款项归买家所有。",
    closedNote: "买家的银行已撤回争议，款项已返还给您。"
  }
}
type Texts = typeof texts.en

const Dispute = ({ number }: { readonly number: string }) => {
  const { base } = useAccount()
  const api = useApi()
  const words = useWords(texts)
  const language = useLanguage()
  const dispute = useLive(api.query("disputes", "get", { params: { ref: number }, reactivityKeys: shown }), objectEvery)
  return (
    <ObjectPage
      result={dispute}
      back={[`${base}/disputes`, wordsIn(disputes.listing.label, language)]}
      number={number}
      head={({ data: { amount, currency, status } }) => (
        <>
          <Amount minor={amount} currency={currency} /> <State of={status} />
        </>
      )}
      acts={({ data }) => <Acts dispute={data} words={words} />}
      facts={({ data }) =>
        factsOf(disputes, data, language, {
          trade_no: (
            <Link href={`${base}/orders/${data.trade_no}`}>
              <code>{data.trade_no}</code>
            </Link>
          ),
          reason: reasonText(data.reason, language),
          processor_status: (
            <>
              {stateText(data.processor_status, language)} <code>{data.processor_status}</code>
            </>
          )
        })
      }
    >
      {({ data }) => (
        <>
          <Stand dispute={data} words={words} />
          <EvidenceOf dispute={data} />
          <Movements about={data.dispute_no} tradeNo={data.trade_no} />
          <p>
            <Link href={`${base}${stepOf(data.trade_no, "dispute", data.dispute_no)}`}>{words.story} →</Link>
          </p>
        </>
      )}
    </ObjectPage>
  )
}

/** The state of the dispute, and what to do. */
const Stand = ({ dispute, words }: { readonly dispute: DisputeResource; readonly words: Texts }) => {
  const language = useLanguage()
  const { evidence_due_by, status } = dispute
  if (status !== "needs_response") {
    const sentence = { under_review: words.review, won: words.won, lost: words.lost, closed: words.closedNote }[status]
    return <p className="note">{sentence}</p>
  }
  return (
    <div className="note urgent">
      {evidence_due_by !== null && (
        <p className="left">
          <Due at={evidence_due_by} isOpen />
        </p>
      )}
      <p>
        {words.needs}{" "}
        {evidence_due_by === null ? words.noDeadline : `${words.dueAt} ${timeText(evidence_due_by, language, "full")}.`}
      </p>
    </div>
  )
}

const EvidenceOf = ({ dispute }: { readonly dispute: DisputeResource }) => {
  const api = useApi()
  const evidence = useAtom(
    api.query("disputes", "getEvidence", { params: { ref: dispute.dispute_no }, reactivityKeys: shown })
  )
  const order = useAtom(api.query("orders", "get", { params: { ref: dispute.trade_no }, reactivityKeys: shown }))
  return (
    <Loaded result={evidence} lines={4}>
      {({ data }) => (
        <Loaded result={order} lines={4}>
          {(answer) => <Evidence dispute={dispute} stored={data} order={answer.data} />}
        </Loaded>
      )}
    </Loaded>
  )
}

const Acts = ({ dispute, words }: { readonly dispute: DisputeResource; readonly words: Texts }) => {
  const { may, mode } = useAccount()
  const language = useLanguage()
  const { amount, currency, dispute_no, status } = dispute
  const outcomeOf = (typed: FormData) => ({ outcome: String(typed.get("outcome") ?? "won") })
  return (
    <>
      {may("disputes:write") && status === "needs_response" && (
        <MerchantAct
          operation="disputes.accept"
          name={words.accept}
          endangers={thisPage}
          says={`${amountText(amount, currency, language)}. ${words.acceptSays}`}
          request={() => ({ params: { ref: dispute_no } })}
        />
      )}
      {mode === "sandbox" && may("test_helpers:write") && (
        <MerchantAct
          operation="test_helpers.resolveDispute"
          name={words.resolve}
          says={words.resolveSays}
          fields={<ChoiceField label={words.outcome} name="outcome" choices={Object.entries(words.outcomes)} />}
          request={(typed) => ({ params: { ref: dispute_no }, payload: sent(outcomeOf(typed)) })}
        />
      )}
    </>
  )
}

export default Dispute
