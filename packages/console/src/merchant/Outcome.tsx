/** How an act of the audit log ended, and what it was about, in a merchant's log and in the operators'. */
import type { PayoutResource } from "@coffer/contract/Payouts"
import { Amount } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { actText, objectOf, outcomeOf } from "./auditWords.ts"

const texts = {
  en: {
    done: "Completed",
    accepted: "Accepted",
    failed: "Failed",
    refused: "Denied",
    seen: "Viewed",
    unknown: "No outcome yet",
    unknownSays: "It is still running, or the process ended meanwhile: check the object."
  },
  zh: {
    done: "完成",
    accepted: "已受理",
    failed: "失败",
    refused: "已拒绝",
    seen: "查看",
    unknown: "暂无结果",
    unknownSays: "操作仍在进行，或进程已中断：请核实对象。"
  }
}

const looks = { done: "good", accepted: "", failed: "bad", refused: "bad", seen: "", unknown: "" } as const

interface Ended {
  readonly phase: string
  readonly status: number | null
}

export const useOutcome = () => {
  const words = useWords(texts)
  return ({ phase, status }: Ended) => words[outcomeOf(phase, status)]
}

export const Outcome = ({ phase, status }: Ended) => {
  const words = useWords(texts)
  const outcome = outcomeOf(phase, status)
  return (
    <span className={`state ${looks[outcome]}`} title={outcome === "unknown" ? words.unknownSays : undefined}>
      {words[outcome]}
      {outcome === "failed" && ` ${status}`}
    </span>
  )
}

interface ActShown {
  readonly act: string
  readonly target: string
  readonly details: { readonly [name: string]: unknown }
}

/** The act in words, with its object and its amount below. */
export const ActText = ({ act, details, target }: ActShown) => {
  const language = useLanguage()
  const { amount, currency, payout_no } = (details["after"] ?? {}) as Partial<PayoutResource>
  const object = act.startsWith("payouts.") && payout_no !== undefined ? payout_no : objectOf(target)
  return (
    <>
      {actText(act, language)}
      {amount !== undefined && currency !== undefined && (
        <>
          {" "}
          <Amount minor={amount} currency={currency} />
        </>
      )}
      {object !== undefined && <code className="small block soft">{object}</code>}
    </>
  )
}
