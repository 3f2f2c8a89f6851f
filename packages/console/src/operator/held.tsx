/** Objects that are held up, in words, and the act or the page that mends each kind. */
import type { HeldKind, HeldUpResource } from "@coffer/contract/HeldUp"
import { Link } from "wouter"
import { Field } from "../parts/act.tsx"
import { useWords } from "../parts/words.ts"
import { typedIn } from "../parts/typed.tsx"
import { ofAccount, ofOrder, OperatorAct } from "./operator.tsx"

/** The worst first: what only an operator can decide, then what has a deadline, then what tries again by itself. */
export const kindsByWeight: ReadonlyArray<HeldKind> = [
  "unapplied_payment",
  "stray_session",
  "payout",
  "dispute",
  "report",
  "refund",
  "delivery",
  "mail"
]

export const kindTexts = {
  en: {
    unapplied_payment: "Payments that no order takes",
    stray_session: "Sessions that these books do not know",
    payout: "Payouts without an end",
    dispute: "Disputes",
    report: "Reports that fail",
    refund: "Refunds that the channel has not settled",
    delivery: "Webhooks that are not taken",
    mail: "Mails that are not taken"
  },
  zh: {
    unapplied_payment: "没有订单接收的付款",
    stray_session: "账簿未知的会话",
    payout: "未完结的出款",
    dispute: "争议",
    report: "生成失败的报表",
    refund: "渠道尚未结清的退款",
    delivery: "未被接收的 Webhook",
    mail: "未被接收的邮件"
  }
} satisfies Record<string, Record<HeldKind, string>>

/** One of a kind, in a list. */
export const oneTexts = {
  en: {
    unapplied_payment: "Unapplied payment",
    stray_session: "Stray session",
    payout: "Payout",
    dispute: "Dispute",
    report: "Report",
    refund: "Refund",
    delivery: "Webhook",
    mail: "Mail"
  },
  zh: {
    unapplied_payment: "未入账付款",
    stray_session: "未知会话",
    payout: "出款",
    dispute: "争议",
    report: "报表",
    refund: "退款",
    delivery: "Webhook",
    mail: "邮件"
  }
} satisfies Record<string, Record<HeldKind, string>>

/** The next step about a kind, in one sentence. */
export const adviceTexts = {
  en: {
    unapplied_payment: "Compare it with the acquirer's report, give it back there, then close it with a note.",
    stray_session: "Give the money back at the channel, or pay it to the merchant by hand, then close it.",
    payout: "Approve or reject it, or report whether the bank has it.",
    dispute: "Only the merchant can answer. Tell it about the deadline.",
    report: "See why the step fails; it is tried again by itself.",
    refund: "The channel is asked again by itself. Ask it if this takes days.",
    delivery: "Tell the merchant. After the repair, send it again.",
    mail: "It is tried again by itself. Look at the mail server if many wait."
  },
  zh: {
    unapplied_payment: "与收单方的报表核对，在收单方退还，然后附上备注关闭。",
    stray_session: "在渠道退还款项，或手工付给商户，然后关闭。",
    payout: "批准或拒绝，或报告银行是否已收到。",
    dispute: "只有商户可以回应。请提醒其截止时间。",
    report: "查看失败的步骤；系统会自动重试。",
    refund: "系统会自动再次查询渠道。若持续数日，请联系渠道。",
    delivery: "请通知商户。修复后可重新发送。",
    mail: "系统会自动重试。若大量等待，请检查邮件服务器。"
  }
} satisfies Record<string, Record<HeldKind, string>>

const texts = {
  en: {
    decide: "Decide",
    open: "Open",
    close: "Close",
    note: "What was done about it",
    noteHint: "Others read it later. It cannot be changed.",
    strayName: "Close the session",
    straySays: "No money moves. Do it once the session was dealt with at the channel."
  },
  zh: {
    decide: "处理",
    open: "打开",
    close: "关闭",
    note: "如何处理的",
    noteHint: "供他人日后查阅，无法修改。",
    strayName: "关闭会话",
    straySays: "不会移动资金。请在渠道处理完该会话后再操作。"
  }
}

const steps = {
  en: {
    parked: "No order took this payment. Decide what becomes of it.",
    due: "The channel has to take it back.",
    requested: "Approve it or reject it.",
    approved: "Send it to the bank, and report whether it arrived.",
    merchant: "The merchant has to answer the bank.",
    bank: "The bank has to decide.",
    channel: "The channel has to take the next step.",
    operator: "An appeal may be filed at the channel.",
    receiver: "The merchant's receiver has to take the event.",
    mail_server: "The mail server has to take the receipt.",
    report: "See why a step of the report fails."
  },
  zh: {
    parked: "没有订单接收此付款，请决定如何处理。",
    due: "渠道需将其退回。",
    requested: "请批准或拒绝。",
    approved: "请汇给银行，并报告是否到账。",
    merchant: "商户需回应银行。",
    bank: "等待银行裁决。",
    channel: "等待渠道处理。",
    operator: "可在渠道提出申诉。",
    receiver: "商户的接收方需接收事件。",
    mail_server: "邮件服务器需接收收据。",
    report: "请查看报表失败的步骤。"
  }
}

/** The next step in the reader's language; the service's own sentence, which has all numbers, is behind it. */
export const NextStep = ({ held }: { readonly held: HeldUpResource }) => {
  const words = useWords(steps)
  const { id, kind, status, text, trade_no, waits_for } = held
  if (kind === "stray_session") return <span className="wrap">{text}</span>
  const step =
    kind === "unapplied_payment" || kind === "payout"
      ? words[status as "parked" | "due" | "requested" | "approved"]
      : kind === "report"
        ? words.report
        : words[waits_for]
  return (
    <span className="wrap" title={text}>
      {step ?? text} <code className="soft">{trade_no ?? id}</code>
    </span>
  )
}

export const pageOfHeld = ({ id, kind, merchant_id, mode, trade_no }: HeldUpResource): string | undefined => {
  if (kind === "payout") return `/operator/payouts/${id}`
  if (kind === "delivery") return `/operator/deliveries/${id}`
  if (kind === "stray_session") return undefined
  if (kind === "dispute" || kind === "refund" || kind === "unapplied_payment" || kind === "mail")
    return trade_no === null ? undefined : ofOrder(merchant_id, mode, trade_no)
  return ofAccount(merchant_id, mode)
}

export const NoteField = () => {
  const words = useWords(texts)
  return (
    <Field label={words.note} hint={words.noteHint}>
      {(id, described) => <textarea id={id} name="note" required maxLength={500} aria-describedby={described} />}
    </Field>
  )
}

/** The way to the act, or the act itself. */
export const Mend = ({ held }: { readonly held: HeldUpResource }) => {
  const words = useWords(texts)
  const page = pageOfHeld(held)
  if (held.kind === "stray_session")
    return (
      <OperatorAct
        act="stray_sessions.close"
        name={words.strayName}
        says={
          <>
            <p>{held.text}</p>
            <p>{words.straySays}</p>
          </>
        }
        fields={<NoteField />}
        call={(client, typed) =>
          client.stray_sessions.close({ params: { id: held.id }, payload: { note: typedIn(typed, "note") as never } })
        }
        code={(typed) => ({
          method: "POST",
          path: `/operator/v1/stray_sessions/${held.id}/close`,
          body: { note: typedIn(typed, "note") ?? "" }
        })}
      />
    )
  if (page === undefined) return null
  const isDecision = held.waits_for === "operator" && (held.kind === "payout" || held.kind === "unapplied_payment")
  return (
    <Link href={page} className={isDecision ? "button small" : "button quiet small"}>
      {isDecision ? words.decide : words.open}
    </Link>
  )
}
