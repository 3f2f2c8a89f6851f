/** People of a merchant, and objects of its live environment, which has no acquirer here: copies of sandbox ones. */
import { Effect } from "effect"
import { invite, signIn } from "../callers/console.ts"
import { merchantOf, said } from "../Merchant.ts"
import type { MailServer } from "../servers/MailServer.ts"
import type { Running } from "../Service.ts"

export const notifiedShop = Effect.fnUntraced(function* (running: Running, mails: MailServer) {
  const { api, merchant, sql } = running
  const { merchantId } = merchant
  const shop = merchantOf(running)
  const order = yield* shop.paid(1_999)
  const { dispute_no } = yield* said(shop.dispute(order["trade_no"]))
  /** A dispute of live, which waits for an answer until `days` from the sandbox one's creation. */
  const liveDispute = (number: string, days = 7) =>
    Effect.orDie(sql`insert into disputes select r.* from disputes d cross join lateral
      jsonb_populate_record(d, jsonb_build_object('dispute_no', ${number}::text, 'mode', 'live', 'next_check_at', null,
        'status', 'needs_response', 'processor_dispute_id', ${number}::text, 'closed_at', null, 'fee', null,
        'evidence_due_by', d.created_at + make_interval(days => ${days}))) as r where d.dispute_no = ${dispute_no}`)
  const decide = (number: string, status: "won" | "lost") =>
    Effect.orDie(sql`update disputes set status = ${status}, version = version + 1 where dispute_no = ${number}`)
  const join = Effect.fnUntraced(function* (name: string, role: string) {
    const email = `${name}@shop.example`
    const { person_id } = yield* invite(api, mails, { email, merchant_id: merchantId, role })
    const { call } = yield* signIn(api, mails, email)
    const at = `/merchants/${merchantId}`
    return {
      email,
      person_id,
      call,
      bell: (mode = "live") =>
        Effect.map(
          call("GET", `${at}/notifications?mode=${mode}`),
          ({ body }) => body.data.data as ReadonlyArray<Record<string, any>>
        ),
      read: (ids: ReadonlyArray<string>) => call("POST", `${at}/notifications/read`, { notification_ids: ids }),
      settings: Effect.map(call("GET", `${at}/notification_settings`), ({ body }) => body.data),
      change: (body: object) => call("POST", `${at}/notification_settings`, body)
    }
  })
  return { ...running, merchantId, shop, dispute: dispute_no as string, liveDispute, decide, join }
})

/** The mails about this, by their addresses. */
export const toldOf = ({ notifications }: MailServer, text: string): ReadonlyArray<string> =>
  notifications
    .filter((mail) => mail.replaceAll("=\r\n", "").includes(text))
    .map((mail) => /^To: (.+)$/im.exec(mail)?.[1]?.trim() ?? "")
    .toSorted()
