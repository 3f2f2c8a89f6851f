/** Mails with receipts, to a real mail server that fails in every way (spec: Orders, receipt_email). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Behaviour, mailServer } from "../kit/MailServer.ts"
import { freePort, type Running, start } from "../kit/Service.ts"

const pay = Effect.fnUntraced(function* ({ api, merchant }: Running, terms: object = {}) {
  const order = { amount: 1_000, receipt_email: "reader@example.com", ...terms }
  const { body } = yield* api.post("/v1/orders", merchant.sandboxKey, order)
  yield* api.post(`/v1/test_helpers/orders/${body.data.trade_no}/pay`, merchant.sandboxKey, {})
  return body.data.trade_no as string
})

const orderOf = ({ api, merchant }: Running, tradeNo: string) =>
  Effect.map(api.get(`/v1/orders/${tradeNo}`, merchant.sandboxKey), ({ body }) => body.data)

const statusOf = ({ sql }: Running, tradeNo: string) =>
  Effect.map(
    sql<{ status: string }>`select status from mails where trade_no = ${tradeNo}`,
    ([mail]) => mail?.status ?? "none"
  )

/** The service with a mail server that behaves so. */
const withServer = Effect.fnUntraced(function* (behaviour: Behaviour) {
  const server = yield* mailServer()
  server.behave(behaviour)
  const service = yield* start({ clock: "test", env: { SMTP_URL: server.url, MAIL_FROM: "receipts@pay.example" } })
  return { server, service }
})

/** The parts of a mail as people read them. */
const decoded = (mail: string): string =>
  mail
    .split(/\r\n--/)
    .map((part) => {
      const [head = "", ...body] = part.split("\r\n\r\n")
      const text = body.join("\r\n\r\n")
      if (/transfer-encoding: base64/i.test(head)) return Buffer.from(text, "base64").toString("utf8")
      return /quoted-printable/i.test(head) ? fromQuoted(text) : text
    })
    .join("\n")

const fromQuoted = (text: string) =>
  Buffer.from(
    text
      .replace(/=\r\n/g, "")
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1"
  ).toString("utf8")

describe("the mail with a receipt", () => {
  it.live("goes out once by itself when the order is paid, in Chinese unless the order says otherwise", () =>
    Effect.gen(function* () {
      const { server, service } = yield* withServer("take")
      const tradeNo = yield* pay(service)
      yield* service.pass("1 day")
      assert.lengthOf(server.mails, 1)
      assert.include(decoded(server.mails[0]!), "付款收据")
      const { receipt_number, receipt_sent_at, receipt_url } = yield* orderOf(service, tradeNo)
      assert.isString(receipt_sent_at)
      for (const shown of [receipt_number, receipt_url, "US$10.00"]) assert.include(decoded(server.mails[0]!), shown)
      assert.match(server.mails[0]!, new RegExp(`^Message-ID: <mail_${tradeNo}@pay\\.example>`, "m"))

      yield* pay(service, { locale: "en" })
      yield* service.pass("1 minute")
      assert.include(decoded(server.mails[1]!), "Amount paid: US$10.00")
    })
  )

  it.live("names where the shop helps, and an answer goes there", () =>
    Effect.gen(function* () {
      const { server, service } = yield* withServer("take")
      const contact = { support_email: "help@shop.example", support_url: "https://shop.example/help" }
      yield* service.api.operator("POST", `/merchants/${service.merchant.merchantId}`, contact)
      yield* pay(service)
      yield* service.pass("1 minute")
      assert.match(server.mails[0]!, /^Reply-To: help@shop\.example\r$/m)
      for (const shown of ["mailto:help@shop.example", "help@shop.example https://shop.example/help"]) {
        assert.include(decoded(server.mails[0]!), shown)
      }
    })
  )

  it.live("is not made for an order without an address", () =>
    Effect.gen(function* () {
      const { server, service } = yield* withServer("take")
      yield* pay(service, { receipt_email: null })
      yield* service.pass("1 hour")
      assert.lengthOf(server.mails, 0)
    })
  )

  it.live("goes out once although the mail server was down for an hour", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const service = yield* start({ clock: "test", env: { SMTP_URL: `smtp://127.0.0.1:${port}` } })
      const tradeNo = yield* pay(service)
      yield* service.pass("1 hour")
      assert.strictEqual(yield* statusOf(service, tradeNo), "due")
      const server = yield* mailServer(port)
      yield* service.pass("1 day")
      assert.lengthOf(server.mails, 1)
      assert.strictEqual(yield* statusOf(service, tradeNo), "sent")
    })
  )

  it.live("is tried again after a refusal for now, and not after a refusal for good", () =>
    Effect.gen(function* () {
      const { server, service } = yield* withServer({ refuse: 451 })
      const first = yield* pay(service)
      yield* service.pass("10 minutes")
      assert.strictEqual(yield* statusOf(service, first), "due")
      server.behave({ refuse: 550 })
      yield* service.pass("1 hour")
      assert.strictEqual(yield* statusOf(service, first), "failed")
      server.behave("take")
      yield* service.pass("1 day")
      assert.lengthOf(server.mails, 0)
      assert.isNull((yield* orderOf(service, first)).receipt_sent_at)
    })
  )

  it.live("is given up after three days", () =>
    Effect.gen(function* () {
      const { service } = yield* withServer({ refuse: 451 })
      const tradeNo = yield* pay(service)
      yield* service.pass("4 days")
      assert.strictEqual(yield* statusOf(service, tradeNo), "failed")
    })
  )

  it.live("is not sent a second time when the mail server's answer was lost", () =>
    Effect.gen(function* () {
      const { server, service } = yield* withServer("cut")
      const tradeNo = yield* pay(service)
      yield* service.pass("1 day")
      assert.deepStrictEqual([server.mails.length, yield* statusOf(service, tradeNo)], [1, "unknown"])
    })
  )

  it.live("is not sent a second time when the process died while it was being sent", () =>
    Effect.gen(function* () {
      const { server, service } = yield* withServer({ refuse: 451 })
      const tradeNo = yield* pay(service)
      yield* service.atRest
      yield* service.sql`update mails set status = 'sending', version = version + 1 where trade_no = ${tradeNo}`
      server.behave("take")
      yield* service.pass("1 day")
      assert.deepStrictEqual([server.mails.length, yield* statusOf(service, tradeNo)], [0, "unknown"])
    })
  )
})
