/** Stored JSON without the words that tell of a buyer (docs/decisions/0103). */
import { assert, describe, it } from "@effect/vitest"
import { textNames } from "@coffer/model/Evidence"
import { makeArchivist, makeEraser } from "@coffer/rules/erasure"

const email = "jane.doe+shop@buyer.example"
const { answer, request, text } = makeEraser({ email, isErased: (number) => number === "TRD_1" })

describe("an address", () => {
  it("is found in upper and lower case, and as a part of an address on the web", () => {
    for (const found of [email, email.toUpperCase(), encodeURIComponent(email), "jane.doe+shop%40BUYER.example"]) {
      assert.strictEqual(text(`a ${found} b`), "a [erased] b")
    }
    assert.strictEqual(text("janexdoe+shop@buyer.example"), "janexdoe+shop@buyer.example")
  })
})

describe("an answer", () => {
  it("loses what tells of the buyer in the objects of an erased order, and keeps numbers and the others", () => {
    const order = (trade_no: string) => ({
      object: "order",
      trade_no,
      out_trade_no: "1",
      amount: 100,
      subject: "Book",
      receipt_email: "other@buyer.example",
      metadata: { customer: "Jane", svc_payment_link: "plink_1", none: null }
    })
    assert.deepStrictEqual(answer({ data: { data: [order("TRD_1"), order("TRD_2")] } }), {
      data: {
        data: [
          {
            ...order("TRD_1"),
            subject: "[erased]",
            receipt_email: null,
            metadata: { customer: "[erased]", svc_payment_link: "plink_1", none: null }
          },
          order("TRD_2")
        ]
      }
    })
  })

  it("is about an erased order by any of its numbers, and by no other field", () => {
    for (const name of ["trade_no", "out_trade_no", "refund_no", "dispute_no", "event_id", "id"]) {
      assert.deepStrictEqual(answer({ [name]: "TRD_1", note: "Jane" }), { [name]: "TRD_1", note: "[erased]" }, name)
    }
    assert.deepStrictEqual(answer({ reference_id: "TRD_1", note: "Jane" }), { reference_id: "TRD_1", note: "Jane" })
  })

  it("loses each field that may tell of a buyer", () => {
    const names = ["metadata", "email", "recipient", "subject", "receipt_failure_reason"]
    const ofFiles = ["response_excerpt", "note", "problem", "evidence", "files", "reason", ...textNames]
    for (const name of [...names, ...ofFiles]) {
      assert.deepStrictEqual(
        answer({ trade_no: "TRD_1", [name]: "J" }),
        { trade_no: "TRD_1", [name]: "[erased]" },
        name
      )
    }
    for (const name of ["receipt_email", "card", "paid_card"]) {
      assert.deepStrictEqual(answer({ trade_no: "TRD_1", [name]: "J" }), { trade_no: "TRD_1", [name]: null }, name)
    }
  })

  it("loses a key that is made of an address in any spelling, and keeps another", () => {
    for (const [key, kept] of [
      ["cart-jane@x.example", "[erased]"],
      ["cart-jane%40x.example", "[erased]"],
      ["cart-jane%2540x.example", "[erased]"],
      ["cart-jane\\u0040x.example", "[erased]"],
      ["cart-jane&#64;x.example", "[erased]"],
      ["cart-jane\uff20x.example", "[erased]"],
      ["100%-off&more", "100%-off&more"],
      ["0190-a", "0190-a"]
    ]) {
      assert.deepStrictEqual(answer({ trade_no: "TRD_1", idempotency_key: key }), {
        trade_no: "TRD_1",
        idempotency_key: kept
      })
    }
  })

  it("loses the reason of a refund, and keeps the bank's word for a dispute", () => {
    assert.deepStrictEqual(answer({ trade_no: "TRD_1", refund_no: "rfd_1", reason: "Jane asked" }), {
      trade_no: "TRD_1",
      refund_no: "rfd_1",
      reason: "[erased]"
    })
    const dispute = { trade_no: "TRD_1", dispute_no: "dsp_1", reason: "fraudulent" }
    assert.deepStrictEqual(answer(dispute), dispute)
  })

  it("keeps its texts where one order is erased, and not a buyer's address", () => {
    const ofOrder = makeEraser({ email: undefined, isErased: (number) => number === "TRD_1" })
    for (const kept of [email, "undefined"]) assert.strictEqual(ofOrder.text(kept), kept)
    assert.deepStrictEqual(ofOrder.answer({ trade_no: "TRD_1", subject: "Book", note: ["Jane", { name: "Jane" }] }), {
      trade_no: "TRD_1",
      subject: "[erased]",
      note: ["[erased]", { name: "[erased]" }]
    })
  })

  it("keeps values that are no texts, and loses the address in names and in lists", () => {
    const value = { count: 5, isGift: true, none: null, list: [email, 1], [email]: "a" }
    assert.deepStrictEqual(answer(value), {
      count: 5,
      isGift: true,
      none: null,
      list: ["[erased]", 1],
      "[erased]": "a"
    })
  })

  it("is looked at down to 64 levels, as an answer and within what is personal", () => {
    const nested = (levels: number, inner: unknown) => {
      let value = inner
      for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { in: value }
      return value
    }
    assert.deepStrictEqual(answer(nested(65, 7)), nested(65, 7))
    assert.deepStrictEqual(answer(nested(65, [7])), nested(65, "[erased]"))
    const personal = (inner: unknown) => ({ trade_no: "TRD_1", metadata: inner })
    assert.deepStrictEqual(answer(personal(nested(65, true))), personal(nested(65, true)))
    assert.deepStrictEqual(answer(personal(nested(65, [true]))), personal(nested(65, "[erased]")))
  })

  it("that is nested too deeply is erased below the limit", () => {
    let deep: unknown = email
    for (let level = 0; level < 100; level++) deep = [deep]
    assert.notInclude(JSON.stringify(answer(deep)), email)
  })
})

describe("a request about an erased order", () => {
  it("that is no object loses its texts, and within its own fields the address", () => {
    assert.strictEqual(request("Jane"), "[erased]")
    assert.isNull(request(null))
    assert.deepStrictEqual(request(["Jane", 1, true]), ["[erased]", "[erased]", true])
    assert.deepStrictEqual(request({ return_url: `https://shop.example/${email}` }), {
      return_url: "https://shop.example/[erased]"
    })
  })

  it("keeps numbers and words of ours, and loses all else that a merchant may have sent", () => {
    assert.deepStrictEqual(
      request({ out_trade_no: "1", amount: 5, currency: "USD", customer: { name: "Jane", age: 40 }, is_gift: true }),
      { out_trade_no: "1", amount: 5, currency: "USD", customer: { name: "[erased]", age: "[erased]" }, is_gift: true }
    )
    const names = ["trade_no", "out_trade_no", "refund_no", "out_refund_no", "amount", "currency", "payment_method"]
    const kept = Object.fromEntries(
      [...names, "locale", "notify_url", "return_url", "outcome"].map((name) => [name, "1"])
    )
    assert.deepStrictEqual(request(kept), kept)
  })
})

describe("what an archive has", () => {
  const shown = makeArchivist(email, (number) => number === "TRD_1")
  const order = { trade_no: "TRD_2", receipt_email: "bob@x.example", subject: "Tea", amount: 5 }

  it("is an object of the buyer without the addresses of others, and of another's the address alone", () => {
    assert.deepStrictEqual(
      shown.answer({
        data: [
          { trade_no: "TRD_1", subject: `${email} for bob@x.example` },
          {
            ...order,
            return_url: "https://shop.example/?a=bob%40x.example",
            metadata: { from: `by ${email}`, size: "L" }
          }
        ]
      }),
      {
        data: [
          { trade_no: "TRD_1", subject: `${email} for [another address]` },
          {
            ...order,
            receipt_email: "[not shown]",
            subject: "[not shown]",
            return_url: "https://shop.example/?a=[another address]",
            metadata: { from: email, size: "[not shown]" }
          }
        ]
      }
    )
  })

  it("is all that a merchant sent about the buyer, and else numbers and the address", () => {
    const body = { amount: 1, receipt_email: email.toUpperCase(), gift: { to: "bob@x.example", size: "L" } }
    assert.deepStrictEqual(shown.request(body), { ...body, gift: { to: "[another address]", size: "L" } })
    assert.deepStrictEqual(shown.request({ ...body, receipt_email: "bob@x.example" }), {
      amount: 1,
      receipt_email: "[not shown]",
      gift: { to: "[not shown]", size: "[not shown]" }
    })
    assert.deepStrictEqual(shown.request({ amount: 1, note: `of ${email}` }), { amount: 1, note: email })
  })
})
