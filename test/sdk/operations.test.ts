/** Every operation of the merchant API is a method, by the specification's words. */
import { assert, describe, it } from "@effect/vitest"
import { Api } from "@coffer/contract/Api"
import type { Coffer } from "@coffer/sdk"
import { OpenApi } from "effect/http-api"
import { answered, failureOf, scripted, someKey } from "../kit/callers/sdk.ts"

const pdf = new Blob(["%PDF-1.7"], { type: "application/pdf" })

/** One call of each. */
const calls: Readonly<Record<string, (coffer: Coffer) => PromiseLike<unknown>>> = {
  "POST /v1/orders": ({ orders }) => orders.create({ amount: 1999 }),
  "GET /v1/orders": ({ orders }) => orders.list().page(),
  "GET /v1/orders/{ref}": ({ orders }) => orders.get("1"),
  "POST /v1/orders/{ref}": ({ orders }) => orders.update("1", { metadata: { shelf: "A7" } }),
  "GET /v1/orders/{ref}/timeline": ({ orders }) => orders.timeline("1"),
  "POST /v1/orders/{ref}/expire": ({ orders }) => orders.expire("1"),
  "POST /v1/orders/{ref}/capture": ({ orders }) => orders.capture("1", { amount: 1500 }),
  "POST /v1/orders/{ref}/send_receipt": ({ orders }) => orders.sendReceipt("1", { email: "a@b.example" }),
  "POST /v1/refunds": ({ refunds }) => refunds.create({ trade_no: "1" }),
  "GET /v1/refunds": ({ refunds }) => refunds.list().page(),
  "GET /v1/refunds/{ref}": ({ refunds }) => refunds.get("1"),
  "POST /v1/refunds/{ref}": ({ refunds }) => refunds.update("1", { metadata: {} }),
  "GET /v1/disputes": ({ disputes }) => disputes.list().page(),
  "GET /v1/disputes/{ref}": ({ disputes }) => disputes.get("1"),
  "POST /v1/disputes/{ref}/evidence": ({ disputes }) => disputes.submitEvidence("1", { submit: true }),
  "GET /v1/disputes/{ref}/evidence": ({ disputes }) => disputes.getEvidence("1"),
  "POST /v1/disputes/{ref}/accept": ({ disputes }) => disputes.accept("1"),
  "POST /v1/files": ({ files }) => files.upload(pdf),
  "POST /v1/payment_links": ({ paymentLinks }) => paymentLinks.create({ amount: 1999 }),
  "GET /v1/payment_links": ({ paymentLinks }) => paymentLinks.list().page(),
  "GET /v1/payment_links/{link_id}": ({ paymentLinks }) => paymentLinks.get("1"),
  "POST /v1/payment_links/{link_id}": ({ paymentLinks }) => paymentLinks.update("1", { status: "inactive" }),
  "GET /v1/balance": ({ balance }) => balance.get({ currency: "USD" }),
  "GET /v1/balance_transactions": ({ ledger }) => ledger.list().page(),
  "GET /v1/ledger/{currency}/chain": ({ ledger }) => ledger.chain("USD").page(),
  "GET /v1/events": ({ events }) => events.list().page(),
  "GET /v1/events/{event_id}": ({ events }) => events.get("1"),
  "GET /v1/logs": ({ apiLogs }) => apiLogs.list().page(),
  "GET /v1/reports": ({ reports }) => reports.list().page(),
  "POST /v1/reports": ({ reports }) => reports.create({ report: "frozen" }),
  "GET /v1/reports/statement": ({ reports }) => reports.statement({ from: "2026-01-01" }),
  "GET /v1/reports/fees": ({ reports }) => reports.fees({ from: "2026-01-01" }),
  "GET /v1/reports/payout": ({ reports }) => reports.payout({ payout_no: "1" }),
  "GET /v1/reports/frozen": ({ reports }) => reports.frozen(),
  "GET /v1/reports/{report_no}": ({ reports }) => reports.get("1"),
  "GET /v1/reports/{report_no}/file": ({ reports }) => reports.file("1"),
  "POST /v1/erasures": ({ erasures }) => erasures.create({ email: "buyer@shop.example" }),
  "POST /v1/exports": ({ exports }) => exports.buyer({ email: "buyer@shop.example" }),
  "GET /v1/erasures": ({ erasures }) => erasures.list().page(),
  "GET /v1/erasures/{erasure_no}": ({ erasures }) => erasures.get("1"),
  "POST /v1/webhook_endpoints": ({ webhookEndpoints }) => webhookEndpoints.create({ url: "https://shop.example/" }),
  "GET /v1/webhook_endpoints": ({ webhookEndpoints }) => webhookEndpoints.list().page(),
  "GET /v1/webhook_endpoints/{endpoint_id}": ({ webhookEndpoints }) => webhookEndpoints.get("1"),
  "POST /v1/webhook_endpoints/{endpoint_id}": ({ webhookEndpoints }) => webhookEndpoints.update("1", {}),
  "DELETE /v1/webhook_endpoints/{endpoint_id}": ({ webhookEndpoints }) => webhookEndpoints.delete("1"),
  "POST /v1/webhook_endpoints/{endpoint_id}/rotate_secret": ({ webhookEndpoints }) =>
    webhookEndpoints.rotateSecret("1"),
  "GET /v1/webhook_signing_secret": ({ webhookSigningSecret }) => webhookSigningSecret.get(),
  "POST /v1/webhook_endpoints/{endpoint_id}/end_previous_secrets": ({ webhookEndpoints }) =>
    webhookEndpoints.endPreviousSecrets("1"),
  "POST /v1/webhook_signing_secret/rotate": ({ webhookSigningSecret }) => webhookSigningSecret.rotate(),
  "POST /v1/webhook_signing_secret/end_previous": ({ webhookSigningSecret }) => webhookSigningSecret.endPrevious(),
  "GET /v1/webhook_deliveries": ({ webhookDeliveries }) => webhookDeliveries.list().page(),
  "GET /v1/webhook_deliveries/{delivery_id}": ({ webhookDeliveries }) => webhookDeliveries.get("1"),
  "POST /v1/webhook_deliveries/{delivery_id}/resend": ({ webhookDeliveries }) => webhookDeliveries.resend("1"),
  "POST /v1/test_helpers/orders/{ref}/pay": ({ testHelpers }) => testHelpers.orders.pay("1"),
  "POST /v1/test_helpers/orders/{ref}/authorize": ({ testHelpers }) => testHelpers.orders.authorize("1"),
  "POST /v1/test_helpers/orders/{ref}/capture": ({ testHelpers }) => testHelpers.orders.capture("1"),
  "POST /v1/test_helpers/orders/{ref}/dispute": ({ testHelpers }) => testHelpers.orders.dispute("1"),
  "POST /v1/test_helpers/refunds/{ref}/settle": ({ testHelpers }) =>
    testHelpers.refunds.settle("1", { outcome: "failed" }),
  "POST /v1/test_helpers/disputes/{ref}/resolve": ({ testHelpers }) =>
    testHelpers.disputes.resolve("1", { outcome: "won" }),
  "POST /v1/test_helpers/channel": ({ testHelpers }) => testHelpers.channel.set({ reachable: true }),
  "GET /v1/test_helpers/clock": ({ testHelpers }) => testHelpers.clock.get(),
  "POST /v1/test_helpers/clock/advance": ({ testHelpers }) => testHelpers.clock.advance({ by: "24h" })
}

const document = OpenApi.fromApi(Api)
const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
)

const list = { object: "list", resource: "any", has_more: false, url: "/v1/any", data: [] }

describe("every operation of the document", () => {
  it("is a method of the SDK, and one that was removed from the document is not", () => {
    assert.sameMembers(Object.keys(calls), documented)
  })

  it("is called in the document as its method is", () => {
    const { coffer } = scripted([])
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const { operationId } = operation as { readonly operationId: string }
        let found: unknown = coffer
        for (const name of operationId.split(".")) found = (found as Record<string, unknown>)[name]
        assert.isFunction(found, `${method} ${path} is ${operationId}`)
      }
    }
  })

  for (const [operation, call] of Object.entries(calls)) {
    it(`${operation} is what its method sends`, async () => {
      const { coffer, sent } = scripted([answered(list)])
      await call(coffer)
      const [{ body, headers, method, url }] = sent as [(typeof sent)[0]]
      assert.strictEqual(sent.length, 1)
      assert.strictEqual(`${method} ${url.pathname}`, operation.replace("{currency}", "USD").replace(/\{\w+\}/, "1"))
      assert.strictEqual(headers["X-Api-Key"], someKey)
      const takesKey = method !== "GET" && url.pathname !== "/v1/files"
      assert.strictEqual(headers["Idempotency-Key"] !== undefined, takesKey, "a write has an Idempotency-Key")
      assert.strictEqual(headers["Content-Type"], typeof body === "string" ? "application/json" : undefined)
    })
  }
})

describe("a query", () => {
  it("is written as the service reads it: ranges, metadata, several values, dates", async () => {
    const { coffer, sent } = scripted([answered(list)])
    const gte = new Date("2026-11-21T09:00:00Z")
    const metadata = { shelf: "A7", "a b": "ü&=" }
    await coffer.orders.list({ limit: 3, status: "paid", created: { gte, lte: 1_800_000_000 }, metadata }).page()
    await coffer.events.list({ type: ["payment.succeeded", "payment.failed"], object_id: undefined }).page()
    assert.deepStrictEqual(
      sent.map(({ url }) => [...url.searchParams]),
      [
        [
          ["limit", "3"],
          ["status", "paid"],
          ["created[gte]", "2026-11-21T09:00:00.000Z"],
          ["created[lte]", "1800000000"],
          ["metadata[shelf]", "A7"],
          ["metadata[a b]", "ü&="]
        ],
        [
          ["type", "payment.succeeded"],
          ["type", "payment.failed"]
        ]
      ]
    )
  })
})

describe("a number in a path", () => {
  it("is one segment, whatever is in it", async () => {
    const { coffer, sent } = scripted([answered({})])
    await coffer.orders.get("a/../b?c#d%20é")
    assert.strictEqual(sent[0]!.url.pathname, "/v1/orders/a%2F..%2Fb%3Fc%23d%2520%C3%A9")
  })

  it("is refused when it is empty, missing, or would lead to another path", async () => {
    const { coffer, sent } = scripted([answered({})])
    for (const ref of ["", ".", "..", undefined as unknown as string]) {
      await failureOf(
        Promise.resolve().then(() => coffer.orders.get(ref)),
        TypeError
      )
    }
    assert.deepStrictEqual(sent, [])
  })
})
