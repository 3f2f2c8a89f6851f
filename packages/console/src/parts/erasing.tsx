/**
 * A buyer's data on a page: a preview of an erasure, which changes nothing, then the erasure itself; and an archive.
 */
import type { ErasureResource } from "@coffer/contract/Erasures"
import { useRef, useState } from "react"
import type { Outcome } from "../api/acts.ts"
import { TextField } from "./act.tsx"
import { downloadBlob } from "./ExportRows.tsx"
import { RefusedContext, useRefusals } from "./refused.tsx"
import { Trouble } from "./states.tsx"
import { typedIn } from "./typed.tsx"
import { useWords } from "./words.ts"

const texts = {
  en: {
    erase: "Erase buyer data",
    eraseSays:
      "Preview what is stored first; this changes nothing. IDs, amounts and the ledger are kept; data that identifies the buyer becomes [erased].",
    email: "Buyer's email",
    or: "Or a single order ID",
    look: "Preview",
    looking: "Loading…",
    capped: "There are more than 10,000 orders.",
    nothing: "Nothing is stored under this.",
    orders_waiting: "orders will be erased once their dispute is closed or their email is sent.",
    kinds: {
      orders: "Orders",
      refunds: "Refunds",
      disputes: "Disputes",
      files: "Files",
      mails: "Emails",
      events: "Events",
      attempts: "Endpoint responses"
    }
  },
  zh: {
    erase: "删除买家数据",
    eraseSays: "请先预览现有数据，预览不会做任何更改。编号、金额和账本会保留，可识别买家身份的内容将变为 [erased]。",
    email: "买家电子邮箱",
    or: "或单个订单编号",
    look: "预览",
    looking: "正在加载…",
    capped: "订单超过 10,000 笔。",
    nothing: "没有相关数据。",
    orders_waiting: "笔订单将在争议结束或邮件发送后删除。",
    kinds: {
      orders: "订单",
      refunds: "退款",
      disputes: "争议",
      files: "文件",
      mails: "邮件",
      events: "事件",
      attempts: "端点响应"
    }
  }
}

/** A buyer by the address of orders, or one order. */
export type Terms = { readonly email: string } | { readonly trade_no: string }

/** The erasure in an answer. */
export const foundBy = (answer: Promise<Outcome<{ readonly data?: unknown }>>): Promise<Outcome<ErasureResource>> =>
  answer.then((outcome) => ("done" in outcome ? { done: outcome.done.data as ErasureResource } : outcome))

interface Props {
  /** Shown after the counts: the rows that would be changed, and at which merchants. */
  readonly would: string
  /** Requests the dry run. */
  readonly look: (terms: Terms) => Promise<Outcome<ErasureResource>>
  /** The action that erases, confirmed by typing `word`. */
  readonly act: (terms: Terms, word: string, onDone: () => void) => React.ReactNode
}

export const Erasing = (props: Props) => {
  const words = useWords(texts)
  const [terms, setTerms] = useState<Terms>()
  const form = useRef<HTMLFormElement>(null)
  const { noteInput, problem, refused, tell } = useRefusals(form)
  const [found, setFound] = useState<ErasureResource | "looking">()
  const look = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget)
    const email = typedIn(typed, "email")
    const trade_no = typedIn(typed, "trade_no")
    if (email === undefined && trade_no === undefined) return
    const chosen: Terms = email === undefined ? { trade_no: trade_no! } : { email }
    setTerms(chosen)
    setFound("looking")
    tell(undefined)
    void props.look(chosen).then((outcome) => {
      setFound("done" in outcome ? outcome.done : undefined)
      if ("problem" in outcome) tell(outcome.problem)
    })
  }
  return (
    <section className="card">
      <h2>{words.erase}</h2>
      <p className="soft">{words.eraseSays}</p>
      <form
        ref={form}
        className="row"
        onSubmit={look}
        onInput={(event) => {
          noteInput(event)
          setFound(undefined)
        }}
      >
        <RefusedContext value={refused}>
          <TextField label={words.email} name="email" type="email" />
          <TextField label={words.or} name="trade_no" />
        </RefusedContext>
        <button className="button quiet" disabled={found === "looking"}>
          {found === "looking" ? words.looking : words.look}
        </button>
      </form>
      {problem !== undefined && <Trouble problem={problem} />}
      {found !== undefined && found !== "looking" && terms !== undefined && (
        <Found {...props} found={found} terms={terms} onDone={() => setFound(undefined)} />
      )}
    </section>
  )
}

/** The rows of each kind, of a dry run or of an erasure. */
export const CountsOf = ({ counts }: Pick<ErasureResource, "counts">) => {
  const { kinds } = useWords(texts)
  const some = (Object.keys(kinds) as Array<keyof typeof kinds>).filter((kind) => counts[kind] > 0)
  return <>{some.map((kind) => `${kinds[kind]}: ${counts[kind].toLocaleString()}`).join(" · ")}</>
}

const Found = (
  props: Props & { readonly found: ErasureResource; readonly terms: Terms; readonly onDone: () => void }
) => {
  const { act, found, onDone, terms, would } = props
  const words = useWords(texts)
  const kinds = Object.keys(words.kinds) as Array<keyof typeof words.kinds>
  if (kinds.every((kind) => found.counts[kind] === 0)) return <p role="status">{words.nothing}</p>
  return (
    <div role="status" className="stack">
      <p>
        <CountsOf counts={found.counts} /> — {would}. {found.is_capped && words.capped}
      </p>
      {found.orders_waiting > 0 && (
        <p>
          {found.orders_waiting} {words.orders_waiting}
        </p>
      )}
      <div className="buttons">{act(terms, "email" in terms ? terms.email : terms.trade_no, onDone)}</div>
    </div>
  )
}

/** Saves an archive that was read, as a file. */
export const saved = async (name: string, read: Promise<Outcome<ReadonlyArray<Uint8Array>>>) => {
  const outcome = await read
  if ("done" in outcome) {
    downloadBlob(name, new Blob([...outcome.done] as Array<BlobPart>, { type: "application/x-tar" }))
  }
  return outcome
}
