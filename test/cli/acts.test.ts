/** Acts on orders, refunds, disputes and endpoints by commands, against the running service. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Logs } from "../../src/shared/logs/Logs.ts"
import { envOf, type } from "../kit/callers/cli.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { eventually } from "../kit/Process.ts"
import { type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/cli/acts") {}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-acts-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

layer(Layer.effect(Service, start()), { excludeTestServices: true })("acts by commands", (it) => {
  interface Given {
    readonly running: Running
    readonly shop: ReturnType<typeof merchantOf>
    /** With `--json`, as an object. */
    readonly json: (...words: ReadonlyArray<string>) => Effect.Effect<any>
    /** For a person. */
    readonly text: (...words: ReadonlyArray<string>) => Effect.Effect<string>
    readonly refused: (...words: ReadonlyArray<string>) => Effect.Effect<readonly [code: number, error: string]>
  }

  /** With a merchant of its own. */
  const test = (name: string, story: (given: Given) => Effect.Effect<void, never, any>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const service = yield* Service
        const running = { ...service, merchant: yield* service.api.newMerchant() }
        const env = envOf(running)
        const text: Given["text"] = (...words) =>
          Effect.map(type(words, env), ({ code, stderr, stdout }) => {
            assert.deepStrictEqual([code, stderr], [0, ""], words.join(" "))
            return stdout
          })
        yield* story({
          running,
          shop: merchantOf(running),
          text,
          json: (...words) => Effect.map(text(...words, "--json"), JSON.parse),
          refused: (...words) =>
            Effect.map(
              type([...words, "--json"], env),
              ({ code, stderr }) => [code, JSON.parse(stderr).error.code] as const
            )
        })
      }).pipe(Effect.scoped)
    )

  test("an order is paid, declined, closed, changed, and its receipt sent", ({ json, refused, text }) =>
    Effect.gen(function* () {
      yield* json("orders", "create", "--amount", "19.99", "--currency", "usd", "--out-trade-no", "cart-1")
      const declined = yield* json("orders", "pay", "cart-1", "--outcome", "decline")
      assert.strictEqual(declined.status, "pending")
      const paid = yield* text("orders", "pay", "cart-1", "--payment-method", "alipay")
      assert.match(paid, /^status +paid$/m)
      assert.match(paid, /^amount +19\.99 USD$/m)
      const changed = yield* json(
        "orders",
        "update",
        "cart-1",
        "--metadata",
        "shelf=A7",
        "--receipt-email",
        "a@b.example"
      )
      assert.deepInclude(changed, { metadata: { shelf: "A7" }, receipt_email: "a@b.example" })
      assert.strictEqual((yield* json("orders", "send-receipt", "cart-1")).out_trade_no, "cart-1")
      yield* json("orders", "create", "--amount", "5", "--out-trade-no", "cart-2")
      assert.strictEqual((yield* json("orders", "expire", "cart-2")).status, "expired")
      assert.deepStrictEqual(yield* refused("orders", "expire", "cart-1"), [1, "conflict"])
    }))

  test("a refund is settled by the bank, and changed", ({ json, shop }) =>
    Effect.gen(function* () {
      const { trade_no } = yield* shop.paid(5_000, {}, "alipay")
      yield* json("refunds", "create", trade_no, "--amount", "500", "--out-refund-no", "r-1")
      assert.strictEqual((yield* json("refunds", "settle", "r-1", "--outcome", "failed")).status, "failed")
      yield* json("refunds", "create", trade_no, "--amount", "600", "--out-refund-no", "r-2")
      assert.strictEqual((yield* json("refunds", "settle", "r-2")).status, "succeeded")
      assert.deepStrictEqual((yield* json("refunds", "update", "r-2", "--metadata", "case=1")).metadata, { case: "1" })
    }))

  test("a dispute is opened, answered, accepted and decided", ({ json, shop }) =>
    Effect.gen(function* () {
      const opened = Effect.fnUntraced(function* () {
        const { trade_no } = yield* shop.paid(5_000)
        return (yield* json("orders", "dispute", trade_no, "--reason", "fraudulent")).dispute_no as string
      })
      const first = yield* opened()
      const draft = ["--evidence", "customer_name=A. Buyer", "--draft"]
      assert.strictEqual((yield* json("disputes", "submit", first, ...draft)).status, "needs_response")
      assert.include(JSON.stringify(yield* json("disputes", "evidence", first)), "A. Buyer")
      const answer = ["--evidence", "product_description=Two books"]
      assert.strictEqual((yield* json("disputes", "submit", first, ...answer)).status, "under_review")
      assert.strictEqual((yield* json("disputes", "resolve", first, "--outcome", "won")).status, "won")
      assert.strictEqual((yield* json("disputes", "accept", yield* opened())).processor_status, "accepted")
    }))

  test("an endpoint is made, listed, changed, given a new secret, and deleted", ({ json, text }) =>
    Effect.gen(function* () {
      const made = yield* json("endpoints", "create", "https://shop.example/hook", "--type", "payment.succeeded")
      assert.match(made.secret, /^whsec_/)
      assert.deepStrictEqual(made.enabled_events, ["payment.succeeded"])
      assert.include(yield* text("endpoints", "list"), made.id)
      assert.strictEqual((yield* json("endpoints", "update", made.id, "--status", "paused")).status, "paused")
      assert.match(yield* text("endpoints", "get", made.id), /^enabled_events +payment\.succeeded$/m)
      assert.notStrictEqual((yield* json("endpoints", "rotate", made.id)).secret, made.secret)
      assert.strictEqual((yield* json("endpoints", "delete", made.id)).deleted, true)
    }))

  test("balances are read in their currency, and lists are written to files as the service has them", ({
    json,
    running,
    shop,
    text
  }) =>
    Effect.gen(function* () {
      yield* shop.paid(10_000, { metadata: { note: 'two\r\n"lines"' } })
      assert.match(yield* text("balance"), /AVAILABLE[^\n]*\n96\.80 USD +0\.00 USD +100\.00 USD +3\.20 USD/)
      assert.strictEqual((yield* json("balance", "--currency", "USD")).available_balance, 9_680)
      assert.match(yield* text("balance", "--currency", "USD"), /^total_revenue +100\.00 USD$/m)
      const file = path.join(yield* folder, "orders.csv")
      assert.include(yield* text("orders", "export", file, "--status", "paid"), "1 orders written to")
      const { text: own } = yield* running.api.get("/v1/orders?format=csv&status=paid", running.merchant.sandboxKey)
      assert.strictEqual(readFileSync(file, "utf8").replace(/^\uFEFF/, ""), own.replace(/^\uFEFF/, ""))
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.deepInclude(yield* json("balance", "export", file), { rows: 2, truncated: false })
      assert.deepInclude(yield* json("refunds", "export", file, "--since", "1h"), { rows: 0 })
    }))

  test("a call of the log is printed with both bodies", ({ json, refused, running, shop, text }) =>
    Effect.gen(function* () {
      const { body } = yield* shop.post("/v1/orders", { amount: 0, subject: "Nothing" })
      yield* Context.get(running.context as Context.Context<Logs>, Logs).flushed
      yield* eventually(
        "the call to be in the log",
        Effect.map(shop.get(`/v1/logs?request_id=${body.request_id}`), (reply) => reply.body.data.data.length === 1)
      )
      const said = yield* text("logs", "get", body.request_id)
      assert.match(said, /Request\n\{\n[\s\S]*"subject": "Nothing"[\s\S]*Answer\n\{\n[\s\S]*"invalid_request"/)
      assert.strictEqual((yield* json("logs", "get", body.request_id)).response_body.error, "invalid_request")
      assert.deepStrictEqual(yield* refused("logs", "get", "req_none"), [1, "log_not_found"])
    }))

  test("any call of the API is made as it is, strictly, and its refusal is the command's", ({ json, refused, text }) =>
    Effect.gen(function* () {
      const made = yield* json(
        "post",
        "/orders",
        "-d",
        "amount=1999",
        "-d",
        "metadata[shelf]=A7",
        "-d",
        'out_trade_no="12"'
      )
      assert.deepInclude(made.data, { amount: 1999, metadata: { shelf: "A7" }, out_trade_no: "12" })
      const listed = yield* json("get", "/v1/orders", "-d", "limit=1", "-d", "metadata[shelf]=A7")
      assert.deepStrictEqual(
        listed.data.data.map(({ out_trade_no }: any) => out_trade_no),
        ["12"]
      )
      const whole = yield* json("post", "/webhook_endpoints", "-d", '{"url":"https://shop.example/hook"}')
      assert.strictEqual((yield* json("delete", `/webhook_endpoints/${whole.data.id}`)).data.deleted, true)
      assert.include(yield* text("get", "/orders", "-d", "format=csv"), "trade_no")
      assert.deepStrictEqual(yield* refused("post", "/orders", "-d", "amount=5", "-d", "subjcet=Books"), [
        1,
        "invalid_request"
      ])
      for (const path of ["orders", "/../operator/v1/merchants", "//elsewhere.example/v1", "/%2e%2e/metrics"]) {
        assert.strictEqual((yield* refused("get", path))[0] > 0, true, path)
      }
      assert.deepStrictEqual(yield* refused("get", "/../operator/v1/merchants"), [2, "bad_path"])
      assert.deepStrictEqual(yield* refused("post", "/orders", "-d", "amount"), [2, "bad_data"])
      assert.deepStrictEqual(yield* refused("post", "/orders", "-d", "{amount: 5}"), [2, "bad_data"])
    }))

  test("an event happens to the order that is named, and the channel goes down and up", ({ json, refused, shop }) =>
    Effect.gen(function* () {
      yield* shop.paid(5_000)
      const { trade_no } = yield* shop.paid(300, { out_trade_no: "cart-9" })
      const refunded = yield* json("trigger", "refund.succeeded", "--order", "cart-9")
      const refund = yield* json("refunds", "get", refunded.object_id)
      assert.deepInclude(refund, { trade_no, amount: 300 })
      yield* json("orders", "create", "--amount", "5", "--out-trade-no", "cart-10")
      assert.strictEqual((yield* json("trigger", "payment.expired", "--order", "cart-10")).type, "payment.expired")
      assert.deepStrictEqual(yield* json("channel", "down"), { reachable: false })
      yield* json("orders", "create", "--amount", "5", "--out-trade-no", "cart-11")
      assert.deepStrictEqual(yield* refused("orders", "expire", "cart-11"), [1, "processor_error"])
      assert.deepStrictEqual(yield* json("channel", "up"), { reachable: true })
    }))

  test("the story has amounts in their currency and times with their zone; programs get minor units", ({
    json,
    running,
    shop
  }) =>
    Effect.gen(function* () {
      const { trade_no } = yield* shop.paid(5_000)
      yield* shop.refund({ trade_no, amount: 700 })
      const { stdout } = yield* type(["orders", "story", trade_no], envOf(running))
      for (const part of ["order of 50.00 USD", "payment_credit of 50.00 USD", "refund of 7.00 USD"]) {
        assert.include(stdout, part)
      }
      assert.notMatch(stdout, /\b(5000|700|175) USD/)
      assert.match(stdout, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ /m)
      const { entries } = yield* json("orders", "story", trade_no)
      assert.include(entries[0].text + entries[1].text, "5000 USD")
    }))
})
