/** Stored views hold no signatures, and their owner gets the same bytes each time (silences: O11). */
import { withoutSignatures, withSignatures } from "@coffer/rules/signedAddresses"
import { assert, describe, it } from "@effect/vitest"

const trade = "TRD_SB_00000000000000000000000001"
const sign = (payload: string) => `of_${payload.replaceAll(/\W/g, "_")}`
const stored = {
  checkout_url: `https://pay.example/checkout/${trade}.1764000000`,
  receipt_url: `https://pay.example/receipts/${trade}.0`
}
const shown = {
  checkout_url: `https://pay.example/checkout/${trade}.1764000000.of_${trade}_1764000000`,
  receipt_url: `https://pay.example/receipts/${trade}.0.of_receipt_${trade}_0`
}

describe("the signed addresses of a view", () => {
  it("are stored without their signatures", () => {
    assert.deepStrictEqual(withoutSignatures({ trade_no: trade, ...shown }), { trade_no: trade, ...stored })
  })

  it("are signed for their owner, with a different payload for each kind of page", () => {
    assert.deepStrictEqual(withSignatures({ trade_no: trade, ...stored }, sign), { trade_no: trade, ...shown })
  })

  it("are signed again if they have a signature already", () => {
    assert.deepStrictEqual(withSignatures(shown, sign), shown)
  })

  it("stay as they are where there is nothing to cut, and the view is then the same object", () => {
    for (const view of [stored, { checkout_url: null }, { receipt_url: 7 }, {}, { checkout_url: "none" }]) {
      assert.strictEqual(withoutSignatures(view), view)
    }
    const nothing = { checkout_url: null, metadata: { receipt_url: shown.receipt_url } }
    assert.strictEqual(withSignatures(nothing, sign), nothing)
    assert.strictEqual(withoutSignatures(nothing), nothing)
  })

  it("end before the second dot of the last segment, however many dots stand elsewhere", () => {
    const cut = (checkout_url: string) => withoutSignatures({ checkout_url }).checkout_url
    assert.strictEqual(cut("https://a.b.c.example/x.y.z/T.1.s"), "https://a.b.c.example/x.y.z/T.1")
    assert.strictEqual(cut("https://a.b.c.example/x.y.z/T.1.s.more"), "https://a.b.c.example/x.y.z/T.1")
    assert.strictEqual(cut("https://a.b.c.example/x.y.z/T"), "https://a.b.c.example/x.y.z/T")
    assert.strictEqual(cut("https://a.b.c.example/x.y.z/T.1"), "https://a.b.c.example/x.y.z/T.1")
    assert.strictEqual(cut("https://a.b.c.example/.1.s"), "https://a.b.c.example/.1")
  })
})
