/** What the evidence of a dispute begins with, from its order. */
import { assert, it } from "@effect/vitest"
import { prefilled } from "../../packages/console/src/merchant/prefilled.ts"

const order = { metadata: {}, receipt_email: null, receipt_url: null, subject: null }

it("an order without words begins no evidence", () => assert.deepStrictEqual(prefilled(order, "Receipt"), {}))

it("names the goods with their receipt, the buyer and the delivery, whatever separates the words of its metadata", () =>
  assert.deepStrictEqual(
    prefilled(
      {
        subject: "Two books",
        receipt_email: "ada@example.com",
        receipt_url: "https://pay.example/r/1",
        metadata: {
          "Tracking-Number": "1Z 999",
          carrier: "Post",
          shipped_at: "2026-11-03T08:00:00Z",
          customerName: "Ada",
          shelf: "A7"
        }
      },
      "Receipt"
    ),
    {
      product_description: "Two books\nReceipt: https://pay.example/r/1",
      customer_email_address: "ada@example.com",
      customer_name: "Ada",
      shipping_carrier: "Post",
      shipping_tracking_number: "1Z 999",
      shipping_date: "2026-11-03"
    }
  ))

it("leaves a date that is no day as it was written", () =>
  assert.deepStrictEqual(prefilled({ ...order, metadata: { shipped: "last Tuesday" } }, "Receipt"), {
    shipping_date: "last Tuesday"
  }))
