/** The page of a refund: its order, its balance transactions, its metadata, and in the sandbox the bank's decision. */
import type { RefundResource } from "@coffer/contract/Refunds"
import { refunds } from "@coffer/resources/returns"
import { Link } from "wouter"
import { useApi } from "../api/accountApi.ts"
import { shown } from "../api/acts.ts"
import { objectEvery, useLive } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { ChoiceField } from "../parts/act.tsx"
import { factsOf } from "../parts/declared.tsx"
import { ObjectPage } from "../parts/ObjectPage.tsx"
import { Amount, State } from "../parts/values.tsx"
import { useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { stepOf } from "./find.ts"
import { MerchantAct } from "./MerchantAct.tsx"
import { EditMetadata } from "./metadata.tsx"
import { Movements } from "./Movements.tsx"

const texts = {
  en: {
    story: "View in order timeline",
    edit: "Edit metadata",
    settle: "Settle as the bank",
    settleSays: "Test only: the bank confirms or rejects the refund. It can also reverse a refund that succeeded.",
    outcome: "Bank's decision",
    succeeded: "Confirmed: paid to the buyer",
    failed: "Rejected: the funds are returned to you",
    pending: "The bank has not paid out this refund yet. It settles automatically; no action is needed.",
    failedNote: "The funds have been returned to you. Refund the buyer another way, such as by bank transfer."
  },
  zh: {
    story: "在订单时间线中查看",
    edit: "编辑元数据",
    settle: "模拟银行处理",
    settleSays: "仅测试：银行确认或拒绝退款，也可以撤回已成功的退款。",
    outcome: "银行处理结果",
    succeeded: "确认：已退给买家",
    failed: "拒绝：款项返还给您",
    pending: "银行尚未完成此笔退款，到账后会自动更新，您无需进行任何操作。",
    failedNote: "款项已返还给您。请通过其他方式退款给买家，例如银行转账。"
  }
}
type Texts = typeof texts.en

const Refund = ({ number }: { readonly number: string }) => {
  const { base } = useAccount()
  const api = useApi()
  const words = useWords(texts)
  const language = useLanguage()
  const refund = useLive(api.query("refunds", "get", { params: { ref: number }, reactivityKeys: shown }), objectEvery)
  return (
    <ObjectPage
      result={refund}
      back={[`${base}/refunds`, wordsIn(refunds.listing.label, language)]}
      number={number}
      head={({ data: { amount, currency, status } }) => (
        <>
          <Amount minor={amount} currency={currency} /> <State of={status} />
        </>
      )}
      acts={({ data }) => <Acts refund={data} words={words} />}
      facts={({ data }) =>
        factsOf(refunds, data, language, {
          trade_no: (
            <Link href={`${base}/orders/${data.trade_no}`}>
              <code>{data.trade_no}</code>
            </Link>
          )
        })
      }
    >
      {({ data }) => (
        <>
          {data.status === "pending" && <p className="note">{words.pending}</p>}
          {data.status === "failed" && <p className="note">{words.failedNote}</p>}
          <Movements about={data.refund_no} tradeNo={data.trade_no} />
          <p>
            <Link href={`${base}${stepOf(data.trade_no, "refund", data.refund_no)}`}>{words.story} →</Link>
          </p>
        </>
      )}
    </ObjectPage>
  )
}

const Acts = ({ refund, words }: { readonly refund: RefundResource; readonly words: Texts }) => {
  const { may, mode } = useAccount()
  const { metadata, refund_no, status } = refund
  const outcomeOf = (typed: FormData) => ({ outcome: String(typed.get("outcome") ?? "succeeded") })
  return (
    <>
      {mode === "sandbox" && may("test_helpers:write") && status !== "failed" && (
        <MerchantAct
          operation="test_helpers.settleRefund"
          name={words.settle}
          says={words.settleSays}
          fields={
            <ChoiceField
              label={words.outcome}
              name="outcome"
              choices={[
                ["succeeded", words.succeeded],
                ["failed", words.failed]
              ]}
            />
          }
          request={(typed) => ({ params: { ref: refund_no }, payload: sent(outcomeOf(typed)) })}
        />
      )}
      {may("refunds:write") && (
        <EditMetadata operation="refunds.update" params={{ ref: refund_no }} initial={metadata} name={words.edit} />
      )}
    </>
  )
}

export default Refund
