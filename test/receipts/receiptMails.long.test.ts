/** Mails with receipts, to a real mail server that fails in every way (spec: Orders, receipt_email). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Behaviour, mailServer } from "../kit/servers/MailServer.ts"
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
const withServer = Effect.fnUntraced(function* (behaviour: Behaviour, env: Record<string, string> = {}) {
  const server = yield* mailServer()
  server.behave(behaviour)
  const service = yield* start({
    clock: "test",
    env: { SMTP_URL: server.url, MAIL_FROM: "receipts@pay.example", ...env }
  })
  yield* confirm(service, readers)
  return { server, service }
})

const confirm = ({ api, merchant }: Running, mail_recipients: ReadonlyArray<string>) =>
  api.operator("POST", `/merchants/${merchant.merchantId}`, { sandbox: { mail_recipients } })

/** Those that the tests below write to. */
const readers = ["@example.com", "@münchen.example", "@MÜNCHEN.example", "buyer@例子.公司"]

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
  it.live("is sent once automatically when the order is paid, in Chinese unless the order says otherwise", () =>
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
      yield* confirm(service, readers)
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

  it.live(
    "goes to a domain of any script by its ASCII form, in the envelope and in the header, and so does its sender",
    () =>
      Effect.gen(function* () {
        const { server, service } = yield* withServer("take", { MAIL_FROM: "receipts@bücher.example" })
        const contact = { support_email: "hilfe@bücher.example" }
        yield* service.api.operator("POST", `/merchants/${service.merchant.merchantId}`, contact)
        for (const [address, ascii] of [
          ["buyer@münchen.example", "buyer@xn--mnchen-3ya.example"],
          ["buyer@例子.公司", "buyer@xn--fsqu00a.xn--55qx5d"],
          ["buyer@MÜNCHEN.example", "buyer@xn--mnchen-3ya.example"],
          ["Buyer.1+x@Example.com", "Buyer.1+x@Example.com"]
        ] as const) {
          server.lines.length = 0
          const tradeNo = yield* pay(service, { receipt_email: address })
          yield* service.pass("1 minute")
          assert.include(server.lines.join("\n"), `RCPT TO:<${ascii}>`)
          assert.match(server.lines.join("\n"), /^MAIL FROM:<receipts@xn--bcher-kva\.example>/m)
          const mail = server.mails.at(-1)!
          assert.match(mail, new RegExp(`^To: <?${ascii.replace(/[.+]/g, "\\$&")}>?\r$`, "im"))
          assert.match(mail, /^From: .*<receipts@xn--bcher-kva\.example>\r$/m)
          assert.match(mail, /^Reply-To: <?hilfe@xn--bcher-kva\.example>?\r$/m)
          assert.match(mail, new RegExp(`^Message-ID: <mail_${tradeNo}@xn--bcher-kva\\.example>`, "m"))
          const { receipt_email, receipt_failure_reason, receipt_sent_at } = yield* orderOf(service, tradeNo)
          assert.deepStrictEqual([receipt_email, receipt_failure_reason], [address, null])
          assert.isString(receipt_sent_at)
        }
      })
  )

  it.live("goes to an address that is not ASCII before the @ as SMTPUTF8 says", () =>
    Effect.gen(function* () {
      const { server, service } = yield* withServer("take")
      yield* pay(service, { receipt_email: "jürgen@münchen.example" })
      yield* service.pass("1 minute")
      const said = server.lines.join("\n")
      assert.match(said, /^MAIL FROM:<receipts@pay\.example> SMTPUTF8/m)
      assert.include(said, "RCPT TO:<jürgen@xn--mnchen-3ya.example>")
      assert.lengthOf(server.mails, 1)
    })
  )

  it.live("that the mail server refuses for good is shown to the merchant, until it is requested again or sent", () =>
    Effect.gen(function* () {
      const { server, service } = yield* withServer({ refuse: 550, words: "5.1.1 no such user\there" })
      const { sandboxKey } = service.merchant
      const tradeNo = yield* pay(service)
      yield* service.pass("1 minute")
      const told = /5\.1\.1 no such user here/
      const order = yield* orderOf(service, tradeNo)
      assert.match(order.receipt_failure_reason, told)
      assert.isNull(order.receipt_sent_at)
      const story = (yield* service.api.get(`/v1/orders/${tradeNo}/timeline`, sandboxKey)).body.data.entries
      const entry = story.find(({ kind }: { kind: string }) => kind === "receipt")
      assert.match(entry.text, /^receipt emailed to reader@example\.com: failed \(.*5\.1\.1 no such user/)
      assert.strictEqual(entry.details.recipient, "reader@example.com")
      const { sql } = service
      assert.lengthOf(yield* sql`select 1 from mails where trade_no = ${tradeNo} and status = 'failed'`, 1)

      const send = () =>
        service.api.post(`/v1/orders/${tradeNo}/send_receipt`, sandboxKey, { email: "other@example.com" })
      assert.isNull((yield* send()).body.data.receipt_failure_reason)
      yield* service.pass("1 minute")
      assert.match((yield* orderOf(service, tradeNo)).receipt_failure_reason, told)
      server.behave("take")
      yield* send()
      yield* service.pass("1 minute")
      const after = yield* orderOf(service, tradeNo)
      assert.isString(after.receipt_sent_at)
      assert.isNull(after.receipt_failure_reason)
    })
  )

  it.live("of a sandbox is kept and shown unless its address is confirmed, however the merchant asks for it", () =>
    Effect.gen(function* () {
      const { server, service } = yield* withServer("take")
      const { api, merchant } = service
      yield* confirm(service, ["dev@shop.example", "@qa.shop.example"])
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { support_email: "help@shop.example" })
      for (const [address, isSent] of [
        ["stranger@anybody.example", false],
        ["qa.shop.example@anybody.example", false],
        ["one@qa.shop.example.anybody.example", false],
        ["other@shop.example", false],
        ["DEV@Shop.example", true],
        ["anyone@qa.shop.example", true],
        ["help@shop.example", true]
      ] as const) {
        server.mails.length = 0
        const tradeNo = yield* pay(service, { receipt_email: address })
        yield* service.pass("1 minute")
        const send = yield* api.post(`/v1/orders/${tradeNo}/send_receipt`, merchant.sandboxKey, {})
        assert.strictEqual(send.status, 200)
        yield* service.pass("1 day")
        assert.lengthOf(server.mails, isSent ? 2 : 0, address)
        const order = yield* orderOf(service, tradeNo)
        assert.strictEqual(order.receipt_sent_at !== null, isSent)
        const story = (yield* api.get(`/v1/orders/${tradeNo}/timeline`, merchant.sandboxKey)).text
        if (isSent) assert.isNull(order.receipt_failure_reason)
        else assert.match(order.receipt_failure_reason, /^kept, not sent: .* confirmed addresses$/)
        assert.strictEqual(story.includes(`receipt emailed to ${address}: kept`), !isSent)
      }
    })
  )

  it.live("of a sandbox goes out 100 times a day of real time, whatever its own clock says", () =>
    Effect.gen(function* () {
      const { server, service } = yield* withServer("take")
      const { api, merchant, sql } = service
      yield* pay(service)
      yield* service.pass("1 minute")
      yield* sql`update sandbox_mails set mails = 98`
      const second = yield* pay(service)
      const third = yield* pay(service)
      yield* service.pass("1 minute")
      yield* api.post("/v1/test_helpers/clock/advance", merchant.sandboxKey, { by: "72h" })
      const fourth = yield* pay(service)
      yield* service.pass("1 minute")
      assert.lengthOf(server.mails, 3)
      assert.deepStrictEqual(yield* Effect.forEach([second, third, fourth], (no) => statusOf(service, no)), [
        "sent",
        "sent",
        "kept"
      ])
      assert.match((yield* orderOf(service, fourth)).receipt_failure_reason, /100 emails per day/)
      yield* service.pass("1 day")
      yield* pay(service)
      yield* service.pass("1 minute")
      assert.lengthOf(server.mails, 4)
    })
  )

  it.live("is given up after three days, and the merchant sees why", () =>
    Effect.gen(function* () {
      const { service } = yield* withServer({ refuse: 451 })
      const tradeNo = yield* pay(service)
      yield* service.pass("4 days")
      assert.strictEqual(yield* statusOf(service, tradeNo), "failed")
      assert.match((yield* orderOf(service, tradeNo)).receipt_failure_reason, /451/)
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
