/** The filter `receipt_email` of the list of orders. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { merchantOf, said } from "../../kit/Merchant.ts"
import { start } from "../../kit/Service.ts"

it.live("a buyer's orders are found by the address in any capitals and any form of its host, and no other's are", () =>
  Effect.gen(function* () {
    const running = yield* start()
    const shop = merchantOf(running)
    const found = (email: string) =>
      Effect.map(said(shop.get(`/v1/orders?receipt_email=${encodeURIComponent(email)}`)), ({ data }) =>
        data.map((order: { readonly out_trade_no: string }) => order.out_trade_no)
      )
    const written = ["Ann.Big@Example.com", "kate@x.example", "\u212aate@x.example", "j\u00f6rg@xn--bcher-kva.example"]
    for (const [place, receipt_email] of written.entries()) {
      yield* said(shop.post("/v1/orders", { amount: 5, out_trade_no: `${place}`, receipt_email }))
    }
    for (const typed of ["Ann.Big@Example.com", "ann.big@example.com", "ANN.BIG@EXAMPLE.COM"]) {
      assert.deepStrictEqual(yield* found(typed), ["0"], typed)
    }
    assert.deepStrictEqual(yield* found("big@example.com"), [])
    assert.deepStrictEqual(yield* found("KATE@x.example"), ["1"])
    for (const typed of ["j\u00f6rg@b\u00fccher.example", "J\u00d6RG@XN--bcher-KVA.example"]) {
      assert.deepStrictEqual(yield* found(typed), ["3"], typed)
    }
  }).pipe(Effect.scoped)
)
