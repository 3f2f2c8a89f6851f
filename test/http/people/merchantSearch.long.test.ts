/** The search of a merchant's people, by what they remember. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { invite, signIn } from "../../kit/callers/console.ts"
import { merchantOf, said as done } from "../../kit/Merchant.ts"
import { insertOrders } from "../../kit/rows/Rows.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { start } from "../../kit/Service.ts"

const searched = Effect.gen(function* () {
  const mails = yield* mailServer()
  const running = yield* start({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" } })
  const at = merchantOf(running)
  const { merchantId } = running.merchant
  const browserOf = Effect.fnUntraced(function* (email: string, of: string, role: string) {
    yield* invite(running.api, mails, { email, merchant_id: of, role })
    return yield* signIn(running.api, mails, email)
  })
  const viewer = yield* browserOf("viewer@shop.example", merchantId, "viewer")
  const findAs =
    ({ call }: typeof viewer, of = merchantId, mode = "sandbox") =>
    (text: string) =>
      call("GET", `/merchants/${of}/search?${new URLSearchParams({ mode, text })}`)
  const find = (text: string) =>
    Effect.map(done(findAs(viewer)(text)), ({ data }) =>
      (data as ReadonlyArray<{ kind: string; id: string }>).map(({ id, kind }) => `${kind} ${id}`)
    )
  return { ...running, at, merchantId, browserOf, find, findAs, viewer }
})

describe("the search of a merchant's people", () => {
  it.live("finds an order by each thing that people remember of it", () =>
    Effect.gen(function* () {
      const { api, at, find, merchantId } = yield* searched
      const { trade_no, payment_id } = yield* at.paid(123_456, {
        out_trade_no: "Cart-77/b",
        subject: "Two Books 两本旧书",
        receipt_email: "Ada.Reader+new@Example.com"
      })
      yield* at.paid(500, { subject: "Lamp", receipt_email: "ada.writer@example.org" })
      const refund = yield* done(at.refund({ trade_no, amount: 100, out_refund_no: "back-1" }))
      const { data: calls } = yield* done(at.get("/v1/events?limit=1"))
      yield* done(at.get(`/v1/orders/${trade_no}`))
      const own = `order ${trade_no}`
      for (const text of [
        trade_no,
        trade_no.toLowerCase(),
        "cart-77/B",
        "CART-77",
        "1,234.56",
        "$1234.56",
        "1234.56 usd",
        "reader",
        "ADA.READER",
        "ada.reader+new@example.com",
        "books",
        "two bo",
        "eader",
        "ample.com books",
        "books 1,234.56 eader",
        "usd 1234.56 two",
        "旧书",
        "本旧",
        payment_id
      ]) {
        assert.include(yield* find(text), own, text)
        assert.lengthOf(
          (yield* find(text)).filter((each) => each.startsWith("order")),
          1,
          text
        )
      }
      const { paid_card, receipt_number } = yield* at.order(trade_no)
      assert.include(yield* find(paid_card.last4), own)
      if (receipt_number !== null) assert.include(yield* find(receipt_number), own)
      assert.deepStrictEqual(yield* find(refund["refund_no"].toUpperCase()), [`refund ${refund["refund_no"]}`])
      assert.deepStrictEqual(yield* find("back-1"), [`refund ${refund["refund_no"]}`])
      assert.deepStrictEqual(yield* find(calls[0].id), [`event ${calls[0].id}`])
      // An address is found by any part of it, and another person's is not.
      assert.lengthOf(yield* find("ada"), 2)
      for (const text of [
        "nothing",
        "1234.57",
        "HK$1234.56",
        "books 1234.57",
        "eader lamp",
        "%",
        "'",
        "\\",
        "☃",
        "' :* | zz"
      ]) {
        assert.notInclude(yield* find(text), own, text)
      }
      const link = yield* done(at.post("/v1/payment_links", { amount: 2_500, subject: "Concert ticket" }))
      assert.deepStrictEqual(yield* find("concert"), [`payment_link ${link["link_id"]}`])
      assert.isAtLeast(
        (yield* api.operator("GET", `/search?number=${trade_no}&merchant_id=${merchantId}`)).body.data.data.length,
        1
      )
    })
  )

  it.live("has pages of one kind, which lead through all that is found and no further", () =>
    Effect.gen(function* () {
      const { find, merchantId, sql, viewer } = yield* searched
      const many = { merchantId, count: 120, since: Date.now() - 86_400_000, step: 1_000 }
      const words = { subject: "'Lamp'", receipt_email: "'reader' || n || '@example.com'" }
      yield* insertOrders(sql, many, words)
      assert.lengthOf(yield* find("lamp ead"), 8, "of each kind the newest")
      const pageAfter = (after: string) =>
        done(
          viewer.call(
            "GET",
            `/merchants/${merchantId}/search?${new URLSearchParams({
              mode: "sandbox",
              text: "lamp ead",
              kind: "order",
              ...(after === "" ? {} : { starting_after: after })
            })}`
          )
        )
      const ids: Array<string> = []
      for (let more = true; more;) {
        const { data, has_more } = yield* pageAfter(ids.at(-1) ?? "")
        ids.push(...data.map(({ id }: { readonly id: string }) => id))
        more = has_more
      }
      assert.lengthOf(ids, many.count)
      assert.deepStrictEqual(ids, [...new Set(ids)].toSorted().toReversed(), "each once, the newest first")
    })
  )

  it.live("finds nothing of another merchant, of the other environment, or for a person without a role", () =>
    Effect.gen(function* () {
      const { api, at, browserOf, findAs, merchantId, viewer } = yield* searched
      const { trade_no } = yield* at.paid(7_700, { subject: "Secret", receipt_email: "ada@example.com" })
      const { merchant_id: other } = yield* done(api.operator("POST", "/merchants", { name: "Other", seed: false }))
      const stranger = yield* browserOf("other@shop.example", other, "owner")
      for (const text of [trade_no, "secret", "ada@example.com", "77.00"]) {
        assert.deepStrictEqual((yield* done(findAs(stranger, other)(text)))["data"], [], text)
        assert.deepStrictEqual((yield* done(findAs(viewer, merchantId, "live")(text)))["data"], [], text)
        assert.strictEqual((yield* findAs(stranger, merchantId)(text)).status, 404, text)
      }
    })
  )

  it.live("an erased buyer is no longer found", () =>
    Effect.gen(function* () {
      const { at, find } = yield* searched
      yield* at.paid(7_700, { subject: "Diary", receipt_email: "ada@example.com" })
      assert.lengthOf(yield* find("ada@example.com"), 1)
      const erasure = yield* done(at.post("/v1/erasures", { email: "ada@example.com" }))
      yield* Effect.repeat(
        Effect.map(done(at.get(`/v1/erasures/${erasure["erasure_no"] ?? erasure["id"]}`)), ({ status }) => status),
        { until: (status) => status !== "pending" && status !== "running" }
      )
      assert.deepStrictEqual(yield* find("ada@example.com"), [])
      assert.deepStrictEqual(yield* find("diary"), [])
    })
  )
})
