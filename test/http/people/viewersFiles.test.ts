/** CSV files that people request in the console (silences: U26): what a role may not export is in none of them. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { invite, signIn } from "../../kit/callers/console.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { start } from "../../kit/Service.ts"

it.live("a viewer's CSV file has no column of a buyer, also by a hand-made address; others' and keys' files have", () =>
  Effect.gen(function* () {
    const mails = yield* mailServer()
    const { api, merchant } = yield* start({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" } })
    const { merchantId, sandboxKey } = merchant
    const order = { amount: 1_999, subject: "Ann's book", receipt_email: "ann@b.example", metadata: { for: "Ann" } }
    assert.strictEqual((yield* api.post("/v1/orders", sandboxKey, order)).status, 201)
    const filesOf = Effect.fnUntraced(function* (role: string) {
      const email = `${role}@shop.example`
      yield* invite(api, mails, { email, merchant_id: merchantId, role })
      const { call } = yield* signIn(api, mails, email)
      return (list: string) =>
        Effect.map(call("GET", `/accounts/${merchantId}/sandbox/${list}?%66ormat=csv`), ({ status, text }) => {
          assert.strictEqual(status, 200, text)
          return text
        })
    })
    const headerOf = (text: string) => text.split("\r\n")[0]!.split(",")
    const [viewer, support] = [yield* filesOf("viewer"), yield* filesOf("support")]

    const all = (yield* api.get("/v1/orders?format=csv", sandboxKey)).text
    assert.strictEqual(yield* support("orders"), all)
    const shown = yield* viewer("orders")
    const left = new Set(headerOf(shown))
    assert.sameMembers(
      headerOf(all).filter((name) => !left.has(name)),
      ["subject", "metadata", "receipt_email", "receipt_failure_reason", "paid_card"]
    )
    assert.notInclude(shown.toLowerCase(), "ann")
    assert.include(shown, "19.99")
    const ofRefunds = (yield* api.get("/v1/refunds?format=csv", sandboxKey)).text
    const ofViewer = headerOf(yield* viewer("refunds"))
    assert.deepStrictEqual(
      ofViewer,
      headerOf(ofRefunds).filter((name) => ofViewer.includes(name))
    )
    assert.notInclude(ofViewer, "metadata")
  })
)
