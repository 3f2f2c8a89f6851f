/**
 * The automatic mail with a receipt, and a process that dies at each step of paying and sending: the next one on the
 * same database goes on, and no buyer gets a receipt twice (spec: Orders, receipt_email; silences: O33).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Life, live, type Point, type Side, timeOf } from "../kit/faults/Crash.ts"
import { mailServer } from "../kit/servers/MailServer.ts"
import type { Merchant } from "../kit/Api.ts"
import { freshDatabase, type Running } from "../kit/Service.ts"

/** The buyer pays, unless the bank has the money already, and the mail is sent. */
const sell = Effect.fnUntraced(function* (service: Running, { sandboxKey }: Merchant, number: string) {
  const order = { amount: 1_000, out_trade_no: number, receipt_email: "reader@example.com" }
  const { trade_no } = (yield* service.api.post("/v1/orders", sandboxKey, order)).body.data
  const taken = yield* Effect.orDie(service.sql`select 1 from sandbox_payments where trade_no = ${trade_no}`)
  if (taken.length === 0) yield* service.api.post(`/v1/test_helpers/orders/${trade_no}/pay`, sandboxKey)
  yield* service.pass("10 minutes")
  return trade_no as string
})

const mailsOf = ({ sql }: Running, tradeNo: string) =>
  Effect.map(sql<{ status: string }>`select status from mails where trade_no = ${tradeNo}`, (rows) =>
    rows.map(({ status }) => status)
  )

describe("the automatic mail with a receipt", () => {
  it.live("is sent once for one order, whatever crashes: only who died while sending it may have lost it", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const server = yield* mailServer()
      const env = { SMTP_URL: server.url, MAIL_FROM: "receipts@pay.example" }
      const begin = (begins: number) => live(database, begins, env)
      let life: Life = yield* begin(0)
      const merchant = yield* life.service.api.newMerchant()
      const sandbox = { mail_recipients: ["reader@example.com"] }
      yield* life.service.api.operator("POST", `/merchants/${merchant.merchantId}`, { sandbox })
      const { passed } = yield* life.watch(sell(life.service, merchant, "undisturbed"))
      assert.lengthOf(server.mails, 1)

      const lines: Array<string> = []
      const crash = Effect.fnUntraced(function* (point: Point, side: Side) {
        const number = `${side} ${lines.length}`
        server.mails.length = 0
        const { died } = yield* life.watch(sell(life.service, merchant, number), { ...point, side })
        const what = `a crash ${side} ${point.name} ${point.nth}`
        assert.isTrue(died, what)
        yield* life.bury
        life = yield* begin(yield* timeOf(life.service))
        const tradeNo = yield* sell(life.service, merchant, number)
        yield* life.service.pass("1 day")
        const [status, ...others] = yield* mailsOf(life.service, tradeNo)
        assert.deepStrictEqual(others, [], `${what}: one mail`)
        const isLost = status === "unknown" && server.mails.length === 0
        lines.push(`${what}: ${status}, ${server.mails.length} sent`)
        // It is unknown whether the server has the mail that was being sent, so it is at most once there.
        assert.isTrue(
          isLost || (server.mails.length === 1 && (status === "sent" || status === "unknown")),
          lines.at(-1)
        )
        const order = yield* life.service.api.get(`/v1/orders/${tradeNo}`, merchant.sandboxKey)
        assert.strictEqual(order.body.data.receipt_sent_at !== null, status === "sent", what)
      })
      for (const point of passed) yield* crash(point, "before")
      yield* crash(passed.at(-1)!, "after")
      console.info(lines.join("\n"))
      assert.isAbove(passed.length, 3, "the order, its payment, the number, the sending")
    })
  )
})
