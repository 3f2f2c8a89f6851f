/** The SDK and the service, as a merchant's server uses them: what is sent is taken, and what is answered is typed. */
import { assert, layer } from "@effect/vitest"
import { type Coffer, ConflictError, InvalidRequestError, type List, NotFoundError } from "@coffer/sdk"
import { Context, Effect, Layer } from "effect"
import { allOf, clientOf, failureOf } from "../kit/callers/sdk.ts"
import { type Running, start } from "../kit/Service.ts"
import { fileOf } from "../kit/callers/uploads.ts"

class Service extends Context.Service<Service, Running>()("test/sdk/client") {}

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a merchant's server", (it) => {
  /** With a merchant of its own. */
  const test = (name: string, story: (coffer: Coffer, running: Running) => Promise<unknown>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const running = yield* Service
        const merchant = yield* running.api.newMerchant()
        yield* Effect.promise(() => story(clientOf({ ...running, merchant }), running))
      })
    )

  test("collects a payment, refunds a part of it, and reads both in the wallet and its ledger", async (coffer) => {
    const order = await coffer.orders.create({ amount: 1999, out_trade_no: "cart-1", metadata: { shelf: "A7" } })
    assert.deepStrictEqual([order.status, order.amount, order.metadata], ["pending", 1999, { shelf: "A7" }])
    assert.match(order.checkout_url, /\/checkout\//)
    const paid = await coffer.testHelpers.orders.pay("cart-1")
    assert.strictEqual(paid.status, "paid")
    const refund = await coffer.refunds.create({ trade_no: order.trade_no, amount: 500 })
    assert.deepStrictEqual([refund.status, refund.amount], ["succeeded", 500])
    assert.strictEqual((await coffer.orders.get("cart-1")).status, "partially_refunded")
    const { available_balance, total_refund } = await coffer.balance.get()
    assert.deepStrictEqual([available_balance, total_refund], [1999 - (paid.fee ?? 0) - 500, 500])
    const rows = await allOf(coffer.ledger.list({ reference_id: order.trade_no }))
    assert.deepStrictEqual(
      rows.map(({ type }) => type),
      ["fee_debit", "payment_credit"]
    )
  })

  test("wants a misspelt field of a body refused, and says so in a header", async (_, running) => {
    const seen: Array<string | null> = []
    const coffer = clientOf(running, {
      fetch: (url, init) => {
        seen.push(new Headers(init.headers).get("coffer-strict"))
        return fetch(url, init)
      }
    })
    await coffer.orders.create({ amount: 1999 })
    await coffer.balance.get()
    assert.deepStrictEqual(seen, ["true", null])
  })

  test("says that a file was cut off", async (_, running) => {
    const headers = { "content-type": "text/csv", "x-truncated": "true" }
    const coffer = clientOf(running, { fetch: () => Promise.resolve(new Response("\ufeffrefund_no\r\n", { headers })) })
    const { data, isTruncated } = await coffer.refunds.csv().withResponse()
    assert.deepStrictEqual([data, isTruncated], ["\ufeffrefund_no\r\n", true])
  })

  test("answers a dispute with a file as evidence", async (coffer) => {
    const { trade_no } = await coffer.orders.create({ amount: 5000 })
    await coffer.testHelpers.orders.pay(trade_no)
    const { dispute_no } = await coffer.testHelpers.orders.dispute(trade_no, { reason: "fraudulent" })
    const { size, url } = await coffer.files.upload(new Blob([Uint8Array.from(fileOf("pdf"))]))
    assert.strictEqual(size, 1_000)
    const sent = { evidence: { customer_name: "A. Buyer" }, files: [{ type: "receipt", url }], submit: true } as const
    assert.strictEqual((await coffer.disputes.submitEvidence(dispute_no, sent)).status, "under_review")
    const { evidence, files, submitted } = await coffer.disputes.getEvidence(dispute_no)
    assert.deepStrictEqual([evidence.customer_name, files, submitted], ["A. Buyer", sent.files, true])
    assert.strictEqual((await coffer.testHelpers.disputes.resolve(dispute_no, { outcome: "won" })).status, "won")
  })

  test("hands in bytes of any kind", async (coffer) => {
    const bytes = Uint8Array.from(fileOf("png"))
    const uploads = await Promise.all(
      [bytes, bytes.buffer, new File([bytes], "a.png")].map((file) => coffer.files.upload(file))
    )
    assert.deepStrictEqual(
      uploads.map(({ content_type, size }) => [content_type, size]),
      Array.from(uploads, () => ["image/png", 1_000])
    )
  })

  test("reads every list to its end, page by page, and each object once", async (coffer) => {
    for (const n of [1, 2, 3]) {
      await coffer.webhookEndpoints.create({ url: `http://127.0.0.1:1/${n}` })
      await coffer.paymentLinks.create({ amount: 100 * n })
      const { trade_no } = await coffer.orders.create({ amount: 1_000 * n })
      await coffer.testHelpers.orders.pay(trade_no)
      await coffer.refunds.create({ trade_no, amount: 10 })
      await coffer.testHelpers.orders.dispute(trade_no)
    }
    const limit = { limit: 2 }
    const lists: Readonly<Record<string, List<unknown>>> = {
      orders: coffer.orders.list(limit),
      refunds: coffer.refunds.list(limit),
      disputes: coffer.disputes.list(limit),
      ledger: coffer.ledger.list({ limit: 7 }),
      chain: coffer.ledger.chain("USD", { limit: 7 }),
      events: coffer.events.list({ limit: 4 }),
      paymentLinks: coffer.paymentLinks.list(limit),
      webhookEndpoints: coffer.webhookEndpoints.list(limit),
      webhookDeliveries: coffer.webhookDeliveries.list({ limit: 5 }),
      apiLogs: coffer.apiLogs.list({ limit: 10, path: "/v1/orders" })
    }
    for (const [name, list] of Object.entries(lists)) {
      const read = async () => ({
        pages: await allOf(list.pages()),
        all: (await allOf(list)).map((item) => JSON.stringify(item))
      })
      const countOf = ({ pages }: Awaited<ReturnType<typeof read>>) => pages.flatMap(({ data }) => data).length
      /** A call is in the log some moments after its answer, so one may come between two readings. */
      const settled = async (): ReturnType<typeof read> => {
        const found = await read()
        return name === "apiLogs" && countOf(found) !== found.all.length ? settled() : found
      }
      const found = await settled()
      const { all, pages } = found
      assert.strictEqual(new Set(all).size, all.length, name)
      assert.strictEqual(countOf(found), all.length, name)
      if (name !== "apiLogs") assert.isAbove(pages.length, 1, name)
      assert.deepStrictEqual(
        pages.map(({ has_more }) => has_more),
        pages.map((_, index) => index < pages.length - 1)
      )
    }
  })

  test("follows events forward from the last one that it has seen, oldest first", async (coffer) => {
    const pay = async (amount: number) =>
      coffer.testHelpers.orders.pay((await coffer.orders.create({ amount })).trade_no)
    await pay(100)
    const [seen] = (await coffer.events.list({ limit: 1 }).page()).data
    for (const amount of [200, 300, 400]) await pay(amount)
    const news = coffer.events.list({ ending_before: seen!.id, limit: 1, type: "payment.succeeded" })
    const amounts = (await allOf(news)).map((event) => event.type === "payment.succeeded" && event.data.object.amount)
    assert.deepStrictEqual(amounts, [200, 300, 400])
    assert.strictEqual((await allOf(news.pages())).length, 3)
  })

  test("takes one page at a time", async (coffer) => {
    for (const amount of [100, 200, 300]) await coffer.orders.create({ amount })
    const first = await coffer.orders.list({ limit: 2 }).page()
    assert.deepStrictEqual([first.data.map(({ amount }) => amount), first.has_more], [[300, 200], true])
    const second = await first.next()
    assert.deepStrictEqual([second?.data.map(({ amount }) => amount), second?.has_more], [[100], false])
    assert.isUndefined(await second!.next())
  })

  test("exports lists as CSV and a link as a picture", async (coffer) => {
    await coffer.orders.create({ amount: 1999, out_trade_no: "cart-1" })
    const { data, isTruncated, response } = await coffer.orders.csv({ status: "pending" }).withResponse()
    assert.strictEqual(data.codePointAt(0), 0xfeff, "spreadsheets know UTF-8 by the byte order mark")
    assert.isFalse(isTruncated)
    assert.match(response.headers.get("content-type") ?? "", /^text\/csv/)
    assert.match(data, /cart-1.*19\.99/)
    for (const csv of [coffer.refunds.csv(), coffer.disputes.csv(), coffer.ledger.csv()])
      assert.match(await csv, /_no|id/)
    const { link_id } = await coffer.paymentLinks.create({ amount: 100 })
    assert.match(await coffer.paymentLinks.qrCode(link_id), /^<svg/)
  })

  test("learns what is wrong from an error's class, code, param and request id", async (coffer) => {
    const invalid = await failureOf(coffer.orders.create({ amount: 0 }), InvalidRequestError)
    assert.deepStrictEqual([invalid.status, invalid.code, invalid.param], [400, "invalid_request", "amount"])
    assert.match(invalid.requestId ?? "", /^req_/)
    assert.match(invalid.docUrl ?? "", /^http:.*\/docs\/errors\/invalid_request$/)
    const missing = await failureOf(coffer.refunds.get("nothing"), NotFoundError)
    assert.deepStrictEqual([missing.status, missing.code], [404, "refund_not_found"])
    await coffer.orders.create({ amount: 100, out_trade_no: "1" })
    const conflict = await failureOf(coffer.orders.create({ amount: 200, out_trade_no: "1" }), ConflictError)
    assert.deepStrictEqual([conflict.status, conflict.code, conflict.attempts], [409, "conflict", 1])
  })

  test("finds its own call in the logs by the request id of the answer", async (coffer, { atRest }) => {
    const { data, requestId, status } = await coffer.orders.create({ amount: 100 }).withResponse()
    assert.strictEqual(status, 201)
    await Effect.runPromise(atRest)
    for (;;) {
      const { data: logs } = await coffer.apiLogs.list({ request_id: requestId }).page()
      if (logs.length === 0) continue
      assert.match(logs[0]!.user_agent ?? "", /^coffer-sdk\/\d/)
      assert.deepInclude(logs[0]!.response_body as object, { request_id: requestId })
      return assert.include(JSON.stringify(logs[0]!.response_body), data.trade_no)
    }
  })

  test("rotates its secrets, switches its channel and deletes an endpoint", async (coffer) => {
    const { id, secret } = await coffer.webhookEndpoints.create({ url: "https://shop.example/hook" })
    assert.notStrictEqual((await coffer.webhookEndpoints.rotateSecret(id)).secret, secret)
    assert.strictEqual((await coffer.webhookEndpoints.update(id, { status: "disabled" })).status, "disabled")
    assert.isTrue((await coffer.webhookEndpoints.delete(id)).deleted)
    const account = await coffer.webhookSigningSecret.rotate()
    assert.strictEqual((await coffer.webhookSigningSecret.get()).secret, account.secret)
    assert.deepStrictEqual(await coffer.testHelpers.channel.set({ reachable: true }), { reachable: true })
  })
})
