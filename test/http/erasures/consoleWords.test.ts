/** The console's acts and an erased buyer: the audit log is never shortened, so it gets no word of a buyer. */
import { assert, it } from "@effect/vitest"
import { wholeAddress } from "@coffer/rules/wholeAddress"
import { Effect } from "effect"
import { invite, signIn } from "../../kit/callers/console.ts"
import { said } from "../../kit/Merchant.ts"
import { flushed } from "../../kit/rows/logs.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { begin, finished, stored } from "../../kit/stories/erasures.ts"

it.effect("a buyer who is erased in the console is in no row, and in no entry of the audit log, by any act there", () =>
  Effect.gen(function* () {
    const mails = yield* mailServer()
    const { running, shop } = yield* begin({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" } })
    const { api, merchant } = running
    const email = "ann@x.example"
    const owner = "owner@shop.example"
    yield* invite(api, mails, { email: owner, merchant_id: merchant.merchantId, role: "owner" })
    const { call } = yield* signIn(api, mails, owner)
    const at = `/accounts/${merchant.merchantId}/sandbox`
    const { trade_no } = yield* shop.paid(1_000, { out_trade_no: "1", receipt_email: email })
    yield* running.settle
    const ok = (method: string, path: string, body?: unknown) =>
      Effect.tap(call(method, path, body), ({ status, text }) =>
        Effect.sync(() => assert.isBelow(status, 300, `${method} ${path}: ${text}`))
      )
    yield* ok("POST", `${at}/orders/1`, { metadata: { mail: email } })
    yield* ok("POST", `${at}/orders/1/send_receipt`, { email })
    yield* ok("POST", `${at}/orders`, { amount: 5, receipt_email: email, subject: `For ${email}` })
    yield* ok("POST", `${at}/refunds`, { trade_no, amount: 5, reason: `asked by ${email}` })
    const { dispute_no } = yield* said(shop.dispute(trade_no))
    yield* ok("POST", `${at}/disputes/${dispute_no}/evidence`, { evidence: { customer_email_address: email } })
    yield* said(shop.resolve(dispute_no, "lost"))
    const query = new URLSearchParams({ receipt_email: email, columns: "trade_no" }).toString()
    const views = `/merchants/${merchant.merchantId}/views`
    yield* ok("POST", views, { page: "orders", name: "Hers", query, is_shared: false })
    yield* ok("POST", views, { page: "orders", name: `Of ${email}`, query: "status=paid", is_shared: true })
    const joanns = new URLSearchParams({ receipt_email: `jo${email}` }).toString()
    yield* ok("POST", views, { page: "orders", name: "Joann's", query: joanns, is_shared: false })
    // Refused, or read differently from its meaning.
    for (const body of [[{ email }], email, { Email: email }, { mail: { email } }])
      yield* call("POST", `${at}/erasures`, body)
    // Of no order, so nothing leads from the buyer to the entry.
    for (const ref of ["ann%40x.example", "cart-ann%2540x.example"])
      yield* call("POST", `${at}/orders/${ref}/send_receipt`, {})
    yield* running.settle
    yield* flushed(running)
    const begun = yield* ok("POST", `${at}/erasures`, { email })
    yield* finished(running, said(shop.get(`/v1/erasures/${begun.body.data.erasure_no}`)))
    yield* flushed(running)
    assert.deepStrictEqual(
      (yield* stored(running)).filter((text) => wholeAddress(email).isIn(text)),
      []
    )
    const left = yield* call("GET", views)
    assert.deepStrictEqual(
      left.body.data.data.map(({ query }: { readonly query: string }) => query),
      [joanns]
    )
    const acts = yield* running.sql<{ act: string; details: string }>`select act, details from audit_log
      where act like 'console:refunds.create' and phase = 'begun'`
    assert.deepStrictEqual(JSON.parse(acts[0]!.details), { body: { trade_no, amount: 5, reason: "[redacted]" } })
  }).pipe(Effect.scoped)
)
