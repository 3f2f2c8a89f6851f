/** `coffer orders|refunds|disputes|links|events|logs`, against the running service. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { envOf, type, watch } from "../kit/callers/cli.ts"
import { callerOf } from "../kit/stories/clockStory.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { eventually } from "../kit/Process.ts"
import { type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/cli/resources") {}

/** The lines that `--json` has printed: an object a line. */
const linesOf = (stdout: string) =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

layer(Layer.effect(Service, start()), { excludeTestServices: true })("commands for objects", (it) => {
  /** With a merchant of its own. */
  const test = (
    name: string,
    story: (shop: {
      readonly running: Running
      readonly env: Record<string, string>
      readonly json: (words: string) => Effect.Effect<any>
      readonly lines: (words: string) => Effect.Effect<ReadonlyArray<any>>
    }) => Effect.Effect<void, never, any>
  ) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const service = yield* Service
        const running = { ...service, merchant: yield* service.api.newMerchant() }
        const env = envOf(running)
        const run = (words: string) =>
          Effect.map(type([...words.split(" "), "--json"], env), ({ code, stderr, stdout }) => {
            assert.deepStrictEqual([code, stderr], [0, ""], words)
            return stdout
          })
        const json = (words: string) => Effect.map(run(words), (text) => JSON.parse(text))
        yield* story({ running, env, json, lines: (words) => Effect.map(run(words), linesOf) })
      }).pipe(Effect.scoped)
    )

  test("creates an order with all its terms, and gets what the API answers", ({ json, running }) =>
    Effect.gen(function* () {
      const terms =
        "--out-trade-no cart-1 --subject Books --metadata shelf=A7 --metadata row=3 --locale en --currency HKD"
      const order = yield* json(`orders create --amount 1999 ${terms} --return-url https://shop.example/`)
      assert.deepInclude(order, {
        amount: 1999,
        out_trade_no: "cart-1",
        subject: "Books",
        currency: "HKD",
        locale: "en"
      })
      assert.deepStrictEqual(order.metadata, { shelf: "A7", row: "3" })
      const api = yield* running.api.get(`/v1/orders/${order.trade_no}`, running.merchant.sandboxKey)
      const { checkout_url: _, ...got } = yield* json("orders get cart-1")
      const { checkout_url: __, ...expected } = api.body.data
      assert.deepStrictEqual(got, expected)
    }))

  test("has reports made as files, and lists them with how far they are", ({ json, lines, running }) =>
    Effect.gen(function* () {
      yield* merchantOf(running).paid(5_000)
      const day = new Date().toISOString().slice(0, 10)
      const { report_no } = yield* json(`reports create transactions --from ${day} --currency USD --time-zone UTC`)
      const get = Effect.suspend(() => json(`reports get ${report_no}`))
      yield* eventually(
        "the file of the report",
        Effect.map(get, ({ status }) => status === "succeeded")
      )
      const done = yield* get
      const listed = yield* lines("reports list")
      assert.deepStrictEqual(listed, [done])
      assert.deepInclude(listed[0], { report: "transactions", format: "csv", time_zone: "UTC" })
    }))

  test("creates and reads refunds, disputes, links and events", ({ json, lines, running }) =>
    Effect.gen(function* () {
      const shop = merchantOf(running)
      const { trade_no } = yield* shop.paid(5_000)
      const refund = yield* json(`refunds create ${trade_no} --amount 700 --reason broken --out-refund-no r-1`)
      assert.deepInclude(refund, { amount: 700, reason: "broken", status: "succeeded" })
      assert.strictEqual((yield* json("refunds get r-1")).refund_no, refund.refund_no)
      yield* shop.dispute(trade_no)
      const [dispute] = yield* lines(`disputes list --status needs_response --trade-no ${trade_no}`)
      assert.strictEqual((yield* json(`disputes get ${dispute.dispute_no}`)).dispute_no, dispute.dispute_no)
      const link = yield* json("links create --amount 300 --max-uses 2")
      assert.strictEqual((yield* json(`links get ${link.link_id}`)).url, link.url)
      assert.strictEqual((yield* lines("links list")).length, 1)
      const events = yield* lines("events list --type payment.succeeded --type dispute.created")
      assert.deepStrictEqual(
        events.map((event) => event.type),
        ["dispute.created", "payment.succeeded"]
      )
      assert.strictEqual((yield* json(`events get ${events[0].id}`)).id, events[0].id)
      assert.deepStrictEqual(
        (yield* lines(`events list --object-id ${refund.refund_no}`)).map((event) => event.type),
        ["refund.succeeded"]
      )
    }))

  test("lists newest first, as many as asked for, across pages, by filters and since a time", ({ env, json, lines }) =>
    Effect.gen(function* () {
      for (let n = 1; n <= 103; n++) yield* json(`orders create --amount ${n}`)
      const amounts = (rows: ReadonlyArray<any>) => rows.map(({ amount }) => amount)
      assert.deepStrictEqual(
        amounts(yield* lines("orders list --limit 102")),
        Array.from({ length: 102 }, (_, n) => 103 - n)
      )
      assert.strictEqual((yield* lines("orders list")).length, 20)
      assert.strictEqual((yield* lines("orders list --limit 1000 --since 1h")).length, 103)
      assert.strictEqual(
        (yield* lines("orders list --limit 1000 --since 2026-01-01T00:00:00Z --status pending")).length,
        103
      )
      const none = yield* type(["orders", "list", "--status", "paid"], env)
      assert.deepStrictEqual(none, { code: 0, stdout: "", stderr: "No orders found.\n" })
    }))

  test("prints a table with aligned columns, and no user's control character", ({ env, json }) =>
    Effect.gen(function* () {
      yield* json("orders create --amount 1999 --out-trade-no short")
      yield* json("orders create --amount 5 --out-trade-no a-longer-number")
      const { stdout } = yield* type(["orders", "list"], env)
      const rows = stdout.trimEnd().split("\n")
      assert.match(rows[0]!, /^ORDER +STATUS +AMOUNT +REFUNDED +CREATED +ORDER REFERENCE$/)
      assert.deepStrictEqual(
        rows.slice(1).map((row) => row.slice(rows[0]!.indexOf("AMOUNT")).split(/ {2,}/)[0]),
        ["0.05 USD", "19.99 USD"]
      )
      const order = yield* type(["orders", "get", "short"], env)
      assert.match(order.stdout, /^amount +19\.99 USD$/m)
      // oxlint-disable-next-line no-control-regex
      assert.notMatch(order.stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    }))

  test("lists calls that failed alone, of 4xx and 5xx together", ({ env, running, lines }) =>
    Effect.gen(function* () {
      const shop = merchantOf(running)
      const { trade_no } = yield* shop.paid(1_000, {}, "alipay")
      yield* type(["orders", "get", "nothing"], env)
      yield* shop.reachable(false)
      yield* shop.post(`/v1/orders/${(yield* shop.post("/v1/orders", { amount: 5 })).body.data.trade_no}/expire`)
      yield* shop.reachable(true)
      yield* eventually(
        "both calls to be in the logs",
        Effect.map(lines("logs list --failed --limit 100"), (logs) => logs.some(({ status }) => status === 502))
      )
      const failed = yield* lines("logs list --failed --limit 100")
      assert.deepStrictEqual(
        failed.map(({ status }) => status),
        [502, 404]
      )
      assert.isNotEmpty(trade_no)
      assert.strictEqual((yield* lines(`logs list --request-id ${failed[1].request_id}`)).length, 1)
      assert.strictEqual((yield* lines("logs list --error order_not_found --path /v1/orders/nothing")).length, 1)
    }))

  test("tails: the last ones first, then each new one once, and none of its own calls", ({ env, json, running }) =>
    Effect.gen(function* () {
      const shop = merchantOf(running)
      for (const amount of [100, 200, 300]) yield* json(`orders create --amount ${amount}`)
      const orders = yield* watch(["orders", "tail", "--last", "2", "--json"], env)
      const logs = yield* watch(["logs", "tail", "--last", "0"], env)
      // A later look would show its first call, if it showed its own, and would leave one more.
      const looks = running.sql`select from api_logs where path = '/v1/logs' and merchant_id = ${running.merchant.merchantId}`
      yield* eventually("the tail to have looked", Effect.orDie(Effect.map(looks, ({ length }) => length > 0)))
      yield* orders.says('"amount":300')
      yield* shop.post("/v1/orders", { amount: 400 })
      yield* orders.says('"amount":400')
      yield* shop.post("/v1/orders", { amount: 0 })
      yield* shop.post("/v1/orders", { amount: 500 })
      yield* orders.says('"amount":500')
      assert.deepStrictEqual(
        linesOf(orders.said.stdout).map(({ amount }) => amount),
        [200, 300, 400, 500]
      )
      yield* logs.says("invalid_request")
      assert.notInclude(logs.said.stdout, "/v1/logs")
      assert.lengthOf(yield* Effect.orDie(looks), 1)
      yield* Fiber.interrupt(orders.fiber)
    }))

  test("tails logs on when the clock of the sandbox goes beyond the days for which they are kept", ({ env, running }) =>
    Effect.gen(function* () {
      const { advance, order } = callerOf([running.api], running.merchant.sandboxKey)
      const before = yield* order()
      const logs = yield* watch(["logs", "tail", "--json", "--path", "/v1/orders"], env)
      yield* logs.says(before.trade_no)
      yield* advance({ by: "31d" })
      const after = yield* order()
      yield* logs.says(after.trade_no)
      assert.strictEqual(logs.said.stderr, "")
      assert.lengthOf(linesOf(logs.said.stdout), 2)
    }))
})
