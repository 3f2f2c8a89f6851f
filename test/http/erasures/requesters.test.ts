/** What was done in the background, and who asked for it: erasures, reports, and archives of buyers. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { invite, signIn } from "../../kit/callers/console.ts"
import { keysOf } from "../../kit/callers/apiKeys.ts"
import { merchantOf, said } from "../../kit/Merchant.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { start } from "../../kit/Service.ts"

it.live("erasures and reports are listed with who requested them, and archives of buyers in the audit log", () =>
  Effect.gen(function* () {
    const mails = yield* mailServer()
    const running = yield* start({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" } })
    const { api, merchant } = running
    const { merchantId } = merchant
    const shop = merchantOf(running)
    yield* invite(api, mails, { email: "owner@shop.example", merchant_id: merchantId, role: "owner" })
    const owner = yield* signIn(api, mails, "owner@shop.example")
    const account = `/accounts/${merchantId}/sandbox`
    const scopes = ["erasures:write", "reports:write"]
    const { key, key_id } = yield* keysOf(running).create({ scopes })

    const report = { report: "fees", from: "2026-11-01", to: "2026-11-02" }
    for (const [what, body] of [
      ["erasures", { email: "ann@buyers.example" }],
      ["reports", report]
    ] as const) {
      yield* said(shop.post(`/v1/${what}`, body))
      yield* said(api.post(`/v1/${what}`, key, what === "reports" ? body : { email: "ben@buyers.example" }))
      const own = what === "reports" ? body : { email: "cyd@buyers.example" }
      assert.strictEqual((yield* owner.call("POST", `${account}/${what}`, own)).status, 202)
      const { data } = yield* said(shop.get(`/v1/${what}`))
      assert.deepStrictEqual(
        data.map((each: { requested_by: string }) => each.requested_by),
        ["owner@shop.example", key_id, "main_key"]
      )
    }
    const other = yield* api.newMerchant()
    assert.deepStrictEqual((yield* api.get("/v1/erasures", other.sandboxKey)).body.data.data, [])
    assert.deepStrictEqual((yield* api.get("/v1/erasures", merchant.liveKey)).status, 403)

    yield* owner.call("POST", `${account}/exports`, { email: "ann@buyers.example" })
    const log = `/merchants/${merchantId}/audit_log?act=console:exports.buyer`
    const entries = (yield* owner.call("GET", log)).body.data.data
    assert.deepStrictEqual(
      entries.map(({ act, actor, phase, status }: any) => [act, actor, phase, status]),
      [["console:exports.buyer", "owner@shop.example", "done", 200]]
    )
    assert.notInclude(JSON.stringify(entries), "ann@buyers.example")
  }).pipe(Effect.scoped)
)
