/**
 * Which mails a sandbox may send: anybody gets a sandbox, and the mails come from the operator's own domain. So they go
 * to addresses that the operator has confirmed as the merchant's, and to so many a day of real time (silences: O42).
 * Where mails become files everything is taken.
 */
import { sandboxMailsPerDayMax } from "@coffer/model/Limits"
import type { Order } from "@coffer/rules/order/Order"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Mail } from "../mail/mails.ts"
import { type Merchant, Merchants } from "../merchants/Merchants.ts"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { unmovedMillis } from "../platform/runtime/MovedClock.ts"
import { Settings } from "../platform/runtime/Settings.ts"

const notConfirmed = "kept and not sent: a sandbox sends mails to addresses that the operator has confirmed"
const tooMany = `kept and not sent: a sandbox sends ${sandboxMailsPerDayMax} mails a day`

/** Why the mail is kept; undefined when it may go out, and then it is counted. */
export const makeWhyKept = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const merchants = yield* Merchants
  const { smtpUrl } = yield* Settings

  /** Counts one of today's, unless there is none left. The clocks of two runners may not agree on the day. */
  const take = Effect.fnUntraced(function* (merchantId: string) {
    const day = Math.floor((yield* unmovedMillis) / 86_400_000)
    const taken = yield* sqlDefects(sql`insert into sandbox_mails as s (merchant_id, day, mails)
      values (${merchantId}, ${day}, 1)
      on conflict (merchant_id) do update set day = greatest(s.day, excluded.day),
        mails = case when s.day < excluded.day then 1 else s.mails + 1 end
        where s.day < excluded.day or s.mails < ${sandboxMailsPerDayMax} returning 1`)
    return taken.length > 0
  })

  return Effect.fnUntraced(function* ({ merchantId, mode }: Order, { error, recipient }: Mail) {
    if (mode === "live" || smtpUrl === undefined) return undefined
    const merchant = yield* Effect.catchTags(merchants.find(merchantId), { MerchantNotFound: Effect.die })
    if (!isConfirmed(merchant, recipient)) return notConfirmed
    // A mail that was tried before is counted already.
    return error !== null || (yield* take(merchantId)) ? undefined : tooMany
  })
})

const isConfirmed = ({ modes, support_email }: Merchant, recipient: string): boolean => {
  const address = recipient.toLowerCase()
  const confirmed = [...modes.sandbox.mail_recipients, ...(support_email === null ? [] : [support_email])]
  return confirmed
    .map((each) => each.toLowerCase())
    .some((each) => (each.startsWith("@") ? address.slice(address.lastIndexOf("@")) === each : address === each))
}
