/** Objects that need attention, in words, and the act or the page that resolves each kind. */
import type { HeldKind, HeldUpResource } from "@coffer/contract/HeldUp"
import { Link } from "wouter"
import { Field } from "../parts/act.tsx"
import { useWords } from "../parts/words.ts"
import { typedIn } from "../parts/typed.tsx"
import { ofAccount, ofDelivery, ofOrder, OperatorAct, ofPayout } from "./operator.tsx"
import { sent } from "../api/sent.ts"

/** The worst first: what only an operator can decide, then what has a deadline, then what is retried automatically. */
export const kindsByWeight: ReadonlyArray<HeldKind> = [
  "unapplied_payment",
  "stray_session",
  "payout",
  "dispute",
  "report",
  "hold",
  "refund",
  "delivery",
  "mail"
]

export const kindTexts = {
  en: {
    unapplied_payment: "Unmatched payments",
    stray_session: "Unknown channel sessions",
    payout: "Payouts in progress",
    dispute: "Disputes",
    report: "Failing reports",
    hold: "Holds the channel has not captured or released",
    refund: "Refunds the channel has not settled",
    delivery: "Failing webhook deliveries",
    mail: "Emails not accepted"
  },
  zh: {
    unapplied_payment: "未匹配的付款",
    stray_session: "未知的渠道会话",
    payout: "进行中的提现",
    dispute: "争议",
    report: "生成失败的报表",
    hold: "渠道尚未扣款或解冻的授权",
    refund: "渠道尚未处理完的退款",
    delivery: "投递失败的 Webhook",
    mail: "未被接收的邮件"
  }
} satisfies Record<string, Record<HeldKind, string>>

/** One of a kind, in a list. */
export const oneTexts = {
  en: {
    unapplied_payment: "Unmatched payment",
    stray_session: "Unknown session",
    payout: "Payout",
    dispute: "Dispute",
    report: "Report",
    hold: "Hold",
    refund: "Refund",
    delivery: "Webhook",
    mail: "Email"
  },
  zh: {
    unapplied_payment: "未匹配的付款",
    stray_session: "未知会话",
    payout: "提现",
    dispute: "争议",
    report: "报表",
    hold: "授权",
    refund: "退款",
    delivery: "Webhook",
    mail: "邮件"
  }
} satisfies Record<string, Record<HeldKind, string>>

/** The next step about a kind, in one sentence. */
export const adviceTexts = {
  en: {
    unapplied_payment: "Check the acquirer's report, refund it there, then close it with a note.",
    stray_session: "Refund it at the channel or pay the merchant manually, then close it.",
    payout: "Approve or reject it, or mark it as paid or failed.",
    dispute: "Only the merchant can respond. Remind them of the deadline.",
    report: "Find out why the step fails; it is retried automatically.",
    hold: "Unanswered ones are retried automatically. If the channel refused, tell the merchant before the hold ends.",
    refund: "The channel is polled automatically. Contact it if this takes days.",
    delivery: "Notify the merchant. Resend it once their endpoint is fixed.",
    mail: "Retried automatically. If many are waiting, check the mail server."
  },
  zh: {
    unapplied_payment: "核对收单方报表并在收单方退款，然后附上备注关闭。",
    stray_session: "在渠道退款，或手动付给商户，然后关闭。",
    payout: "批准或拒绝，或标记为已到账或失败。",
    dispute: "只有商户可以回应，请提醒其截止时间。",
    report: "请查明失败的步骤，系统会自动重试。",
    hold: "未答复的会自动重试。若渠道拒绝，请在授权到期前通知商户。",
    refund: "系统会自动查询渠道。若持续数日，请联系渠道。",
    delivery: "请通知商户，修复端点后可重新发送。",
    mail: "系统会自动重试。若大量等待，请检查邮件服务器。"
  }
} satisfies Record<string, Record<HeldKind, string>>

const texts = {
  en: {
    decide: "Review",
    open: "Open",
    close: "Close",
    note: "What was done",
    noteHint: "Visible to other operators. It can't be changed.",
    strayName: "Close session",
    straySays: "No money moves. Close it once you have handled the session at the channel."
  },
  zh: {
    decide: "处理",
    open: "打开",
    close: "关闭",
    note: "处理方式",
    noteHint: "其他运营人员可见，无法修改。",
    strayName: "关闭会话",
    straySays: "不会移动资金。请在渠道处理完该会话后再关闭。"
  }
}

const steps = {
  en: {
    parked: "No order matches this payment. Decide what to do with it.",
    due: "Waiting for the channel to refund it.",
    requested: "Approve or reject it.",
    approved: "Send it to the bank, then mark it as paid or failed.",
    merchant: "Waiting for the merchant to respond to the bank.",
    bank: "Waiting for the bank's decision.",
    channel: "Waiting for the channel.",
    refused: "The channel refused. The merchant can capture again or cancel.",
    capturing: "Waiting for the channel to capture the held amount.",
    releasing: "Waiting for the channel to release the held amount.",
    operator: "You can file an appeal at the channel.",
    receiver: "Waiting for the merchant's endpoint to accept the event.",
    mail_server: "Waiting for the mail server to accept the receipt.",
    report: "Find out why a step of the report fails."
  },
  zh: {
    parked: "没有匹配此付款的订单，请决定如何处理。",
    due: "等待渠道退款。",
    requested: "请批准或拒绝。",
    approved: "请汇给银行，然后标记为已到账或失败。",
    merchant: "等待商户回应银行。",
    bank: "等待银行裁决。",
    channel: "等待渠道处理。",
    refused: "渠道已拒绝，商户可以再次扣款或取消。",
    capturing: "等待渠道扣取授权金额。",
    releasing: "等待渠道解冻授权金额。",
    operator: "可在渠道提出申诉。",
    receiver: "等待商户端点接收事件。",
    mail_server: "等待邮件服务器接收收据。",
    report: "请查明报表失败的步骤。"
  }
}

/** The next step in the reader's language; the service's own sentence, which has all numbers, is behind it. */
export const NextStep = ({ held }: { readonly held: HeldUpResource }) => {
  const words = useWords(steps)
  const { id, kind, status, text, trade_no, waits_for } = held
  if (kind === "stray_session") return <span className="wrap">{text}</span>
  const step =
    kind === "unapplied_payment" || kind === "payout" || kind === "hold"
      ? words[status as keyof typeof steps.en]
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
  if (kind === "payout") return ofPayout(id, mode)
  if (kind === "delivery") return ofDelivery(id, mode)
  if (kind === "stray_session") return undefined
  if (kind === "report") return ofAccount(merchant_id, mode)
  return trade_no === null ? undefined : ofOrder(merchant_id, mode, trade_no)
}

export const NoteField = () => {
  const words = useWords(texts)
  return (
    <Field label={words.note} hint={words.noteHint}>
      {(id, described) => <textarea id={id} name="note" required maxLength={500} aria-describedby={described} />}
    </Field>
  )
}

/** The action, or a link to it. */
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
        request={(typed) => ({ params: { id: held.id }, payload: sent({ note: typedIn(typed, "note") ?? "" }) })}
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
