/** The row of a mail with a receipt. It is written with the change that causes it, so a crash can lose neither. */
import { TradeNo } from "@coffer/model/Ids"
import { type DateTime, Schema } from "effect"
import { type Change, insert, update } from "../../platform/commit/Change.ts"
import { table } from "../../platform/commit/Table.ts"

export const Mail = Schema.Struct({
  id: Schema.String,
  version: Schema.Int,
  tradeNo: TradeNo,
  recipient: Schema.String,
  /**
   * `sending`: an attempt is under way. `unknown`: the mail server may have accepted the mail, since the process or the
   * connection ended before its answer. `failed`: it has refused the mail for good. `kept`: the sandbox may not send
   * it.
   */
  status: Schema.Literals(["due", "sending", "sent", "failed", "unknown", "kept"]),
  /** When it is due; null once it has ended. */
  dueAt: Schema.NullOr(Schema.DateTimeUtc),
  error: Schema.NullOr(Schema.String),
  createdAt: Schema.DateTimeUtc
})
export type Mail = typeof Mail.Type

export const mails = table("mails", {
  place: 140,
  of: Mail,
  key: "id",
  version: "version",
  fixed: ["tradeNo", "recipient"]
})

interface NewMail {
  readonly id: string
  readonly tradeNo: TradeNo
  readonly recipient: string
  readonly at: DateTime.Utc
}

export const newMail = ({ at, id, recipient, tradeNo }: NewMail): Change =>
  insert(mails, { id, version: 1, tradeNo, recipient, status: "due", dueAt: at, error: null, createdAt: at })

/** One for each order, so that it cannot be inserted twice. */
export const automaticId = (tradeNo: TradeNo): string => `mail_${tradeNo}`

/** The mail after an attempt. */
export const mailAfter = (mail: Mail, after: Pick<Mail, "status" | "dueAt" | "error">): Change =>
  update(mails, mail.version, { ...mail, ...after, version: mail.version + 1 })
