/** GET /v1/orders/{ref}/timeline: an order's complete timeline, compared with the rows that it is read from. */
import { entryKinds, entryScopes } from "@coffer/contract/Timeline"
import { covers, Scope } from "@coffer/model/Scopes"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { keysOf } from "../../kit/callers/apiKeys.ts"
import { envOf, type } from "../../kit/callers/cli.ts"
import { hooksOf } from "../../kit/callers/Hooks.ts"
import { assertRefused, merchantOf } from "../../kit/Merchant.ts"
import { receiver } from "../../kit/Receiver.ts"
import { Logs } from "../../../src/shared/logs/Logs.ts"
import { LogStore } from "../../../src/shared/logs/LogStore.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/timeline") {}

interface Entry {
  readonly at: string
  readonly after_ms: number
  readonly kind: string
  readonly id: string
  readonly text: string
  readonly details: Record<string, any>
}

/** The calls about an order are entries, too, and are written a moment after their answers. */
const logged = ({ context }: Running) => Context.get(context, Logs).flushed

/** A payment with two refunds and a lost dispute, with the receiver refusing everything at first. */
const aLongStory = Effect.fnUntraced(function* (service: Running) {
  const running = { ...service, merchant: yield* service.api.newMerchant() }
  const shop = merchantOf(running)
  const hook = yield* receiver
  yield* hooksOf(running, running.merchant).create({ url: hook.url })
  hook.answer(500)
  const created = yield* shop.post(
    "/v1/orders",
    { amount: 9_000, out_trade_no: "a cart/1" },
    { "Idempotency-Key": "k-1" }
  )
  const { trade_no } = created.body.data
  yield* shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, {})
  const first = yield* shop.refund({ trade_no, amount: 1_000 })
  const second = yield* shop.refund({ trade_no, amount: 2_000 })
  const { dispute_no } = (yield* shop.dispute(trade_no)).body.data
  hook.answer(200)
  yield* shop.accept(dispute_no)
  yield* running.pass("10 hours")
  yield* shop.post(`/v1/orders/${encodeURIComponent("a cart/1")}/send_receipt`, { email: "buyer@shop.example" })
  yield* running.atRest
  yield* logged(running)
  const numbers = [trade_no, first.body.data.refund_no, second.body.data.refund_no, dispute_no]
  return { running, shop, trade_no: String(trade_no), numbers, requestId: created.body.request_id }
})

const entriesOf = (kind: string, entries: ReadonlyArray<Entry>) => entries.filter((entry) => entry.kind === kind)

layer(Layer.effect(Service, start({ clock: "test" })), { excludeTestServices: true })("an order's story", (it) => {
  it.effect(
    "shows each ledger row, event, delivery and attempt exactly once, with the balances and answers of the rows",
    () =>
      Effect.gen(function* () {
        const { numbers, running, shop, trade_no } = yield* aLongStory(yield* Service)
        const { body, status, text } = yield* shop.get(`/v1/orders/${trade_no}/timeline`)
        assert.strictEqual(status, 200, text)
        const { duration_ms, entries, truncated } = body.data as {
          entries: Array<Entry>
          duration_ms: number
          truncated: boolean
        }
        const { sql } = running

        const ledger = yield* sql<any>`select id, type, amount, balance_before, balance_after, frozen_after from ledger
        where merchant_id = ${running.merchant.merchantId} order by id`
        assert.isAtLeast(ledger.length, 7)
        assert.sameDeepMembers(
          entriesOf("ledger", entries).map(
            ({ details: { currency: _, reference_id: __, sequence: ___, ...rest }, id }) => ({ id, ...rest })
          ),
          ledger as Array<any>
        )

        const events = yield* sql<any>`select id from events where object_id = any(${numbers})`
        assert.isAtLeast(events.length, 5)
        assert.sameMembers(
          entriesOf("event", entries).map(({ id }) => id),
          events.map(({ id }) => id)
        )

        const deliveries =
          yield* sql<any>`select id from deliveries where event_id = any(${events.map(({ id }) => id)})`
        assert.sameMembers(
          entriesOf("delivery", entries).map(({ id }) => id),
          deliveries.map(({ id }) => id)
        )
        const attempts = yield* sql<any>`select delivery_id, attempt, status_code from delivery_attempts
        where delivery_id = any(${deliveries.map(({ id }) => id)})`
        assert.isAbove(attempts.length, deliveries.length)
        assert.sameDeepMembers(
          entriesOf("attempt", entries).map(({ details: { attempt, delivery_id, status_code } }) => ({
            delivery_id,
            attempt,
            status_code
          })),
          attempts as Array<any>
        )

        assert.deepStrictEqual(
          entriesOf("refund", entries)
            .map(({ id }) => id)
            .toSorted(),
          [numbers[1], numbers[1], numbers[2], numbers[2]].toSorted() as Array<string>
        )
        assert.deepStrictEqual(
          entriesOf("dispute", entries).map(({ id, text }) => [id, text.split(":")[0]]),
          [
            [numbers[3], "dispute of 9000 USD opened by the buyer's bank"],
            [numbers[3], "dispute closed"]
          ]
        )
        assert.strictEqual(entriesOf("receipt", entries).length, 1)

        const times = entries.map(({ at }) => Date.parse(at))
        assert.deepStrictEqual(
          times,
          times.toSorted((a, b) => a - b)
        )
        assert.deepStrictEqual(
          entries.map(({ after_ms }) => after_ms),
          times.map((at, n) => (n === 0 ? 0 : at - times[n - 1]!))
        )
        assert.strictEqual(duration_ms, times.at(-1)! - times[0]!)
        assert.isFalse(truncated)
      }).pipe(Effect.scoped)
  )

  it.effect("shows each payment that the order did not take exactly once, with where it is, to both", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const running = { ...service, merchant: yield* service.api.newMerchant() }
      const shop = merchantOf(running)
      const { trade_no } = (yield* shop.post("/v1/orders", { amount: 900 })).body.data
      const pay = (body: object) => shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, body)
      yield* pay({ amount: 899 })
      yield* running.pass("1 minute")
      yield* pay({ amount: 901, payment_method: "alipay" })
      yield* running.pass("1 minute")
      yield* pay({ outcome: "succeed_unreported" })
      yield* pay({ outcome: "succeed_unreported" })
      yield* shop.post(`/v1/orders/${trade_no}/expire`)
      yield* running.pass("10 minutes")
      const [row] = yield* running.sql<any>`select unapplied_payments from orders where trade_no = ${trade_no}`
      const stray = row.unapplied_payments as ReadonlyArray<any>
      assert.sameMembers(
        stray.map(({ state }) => state),
        ["parked", "parked", "returned"]
      )
      yield* logged(running)
      const { data } = (yield* shop.get(`/v1/orders/${trade_no}/timeline`)).body
      const shown = entriesOf("unapplied_payment", data.entries)
      assert.sameDeepMembers(
        shown.map(({ at, details, id }) => ({ at, id, ...details })),
        stray.map(({ amount, currency, method, paidAt, paymentId, reason, state }) => ({
          at: paidAt,
          id: paymentId,
          payment_id: paymentId,
          payment_method: method,
          amount,
          currency,
          reason,
          status: state
        }))
      )
      for (const { text } of shown) assert.match(text, /an operator has to review it|was returned to the buyer/)
      const path = `/merchants/${running.merchant.merchantId}/orders/${trade_no}/timeline?mode=sandbox`
      assert.deepStrictEqual((yield* service.api.operator("GET", path)).body.data, data)

      // As it was written before the time was stored: shown with the order's own.
      yield* running.sql`update orders set unapplied_payments = jsonb_path_query_array(unapplied_payments, '$[0]') #- '{0,paidAt}'
        where trade_no = ${trade_no}`
      const later = (yield* shop.get(`/v1/orders/${trade_no}/timeline`)).body.data
      const [old, ...others] = entriesOf("unapplied_payment", later.entries)
      assert.deepStrictEqual([old!.id, old!.at, others], [stray[0].paymentId, data.entries[0].at, []])
    })
  )

  it.effect("begins with the request that created it, its key and address, and has each write about it, once", () =>
    Effect.gen(function* () {
      const { requestId, shop, trade_no, numbers } = yield* aLongStory(yield* Service)
      const { body } = yield* shop.get(`/v1/orders/${trade_no}/timeline`)
      const requests = entriesOf("request", body.data.entries)
      assert.deepStrictEqual(
        requests.map(({ details }) => details["path"]),
        [
          "/v1/orders",
          `/v1/test_helpers/orders/${trade_no}/pay`,
          "/v1/refunds",
          "/v1/refunds",
          `/v1/test_helpers/orders/${trade_no}/dispute`,
          `/v1/disputes/${numbers[3]}/accept`,
          "/v1/orders/a%20cart%2F1/send_receipt"
        ]
      )
      const [first] = body.data.entries
      assert.deepStrictEqual([first.kind, first.id, first.details.idempotency_key], ["request", requestId, "k-1"])
      assert.match(first.details.ip, /127\.0\.0\.1/)
    }).pipe(Effect.scoped)
  )

  it.effect("finds the requests that made an order and twenty refunds by one look-up", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const shop = merchantOf({ ...service, merchant: yield* service.api.newMerchant() })
      const { trade_no } = (yield* shop.post("/v1/orders", { amount: 9_000 })).body.data
      yield* shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, {})
      const refunds: Array<string> = []
      for (let count = 0; count < 20; count++) {
        refunds.push((yield* shop.refund({ trade_no, amount: 1 })).body.request_id)
        yield* service.pass("1 second")
      }
      yield* logged(service)
      const store = Context.get(service.context as Context.Context<LogStore>, LogStore)
      const { atWork, page } = store
      let looks = 0
      Object.assign(store, {
        page: (...given: Parameters<typeof page>) => (looks++, page(...given)),
        atWork: (...given: Parameters<typeof atWork>) => (looks++, atWork(...given))
      })
      const { body } = yield* shop.get(`/v1/orders/${trade_no}/timeline`)
      Object.assign(store, { atWork, page })
      const requests = entriesOf("request", body.data.entries)
      assert.includeMembers(
        requests.map(({ id }) => id),
        refunds
      )
      assert.strictEqual(looks, 1)
    })
  )

  it.effect("is shown by either number, only to its merchant in its environment and to an operator", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const running = { ...service, merchant: yield* service.api.newMerchant() }
      const shop = merchantOf(running)
      const { trade_no } = yield* shop.paid(700, { out_trade_no: "cart-2" })
      const other = yield* service.api.newMerchant()
      yield* logged(service)
      const told = yield* shop.get("/v1/orders/cart-2/timeline")
      assert.strictEqual(told.body.data.trade_no, trade_no)
      assertRefused(yield* service.api.get(`/v1/orders/${trade_no}/timeline`, other.sandboxKey), 404, "order_not_found")
      assertRefused(yield* service.api.get(`/v1/orders/${trade_no}/timeline`), 401, "missing_api_key")
      assertRefused(yield* shop.get("/v1/orders/nothing/timeline"), 404, "order_not_found")
      const path = `/merchants/${running.merchant.merchantId}/orders/cart-2/timeline`
      const seen = yield* service.api.operator("GET", `${path}?mode=sandbox`)
      assert.deepStrictEqual(seen.body.data, (yield* shop.get("/v1/orders/cart-2/timeline")).body.data)
      assertRefused(yield* service.api.operator("GET", `${path}?mode=live`), 404, "order_not_found")
      assertRefused(yield* service.api.operator("GET", path), 400, "invalid_request", "mode")
    })
  )

  it.effect("is printed by `coffer orders story`, an entry a line, with balances and durations", () =>
    Effect.gen(function* () {
      const { running, shop, trade_no } = yield* aLongStory(yield* Service)
      const { code, stderr, stdout } = yield* type(["orders", "story", trade_no], envOf(running))
      assert.strictEqual(code, 0, stderr)
      const { data } = (yield* shop.get(`/v1/orders/${trade_no}/timeline`)).body
      const rows = stdout.trimEnd().split("\n").slice(1)
      assert.strictEqual(rows.length, data.entries.length)
      for (const [n, { id, text }] of data.entries.entries()) {
        assert.include(rows[n], id)
        assert.include(rows[n], text.replace(/(\d+)(\d\d) USD/g, "$1.$2 USD"))
      }
      assert.match(stdout, /payment_credit of 90\.00 USD; available 0\.00 → 90\.00 USD, frozen 0\.00/)
      assert.match(stdout, /25\.0 s/)
      assert.match(stderr, /entries in \d+\.\d h/)
      const json = yield* type(["orders", "story", trade_no, "--json"], envOf(running))
      assert.deepStrictEqual(JSON.parse(json.stdout), data)
    }).pipe(Effect.scoped)
  )

  it.effect("has for a key with scopes the kinds of entries that these let it read, and names the others", () =>
    Effect.gen(function* () {
      const { running, shop, trade_no } = yield* aLongStory(yield* Service)
      const path = `/v1/orders/${trade_no}/timeline`
      const whole = (yield* shop.get(path)).body.data
      assert.deepStrictEqual(whole.omitted_kinds, [])
      const kindsIn = (entries: ReadonlyArray<Entry>) => [...new Set(entries.map(({ kind }) => kind))]
      const optional = ["payment_attempt", "unapplied_payment"]
      assert.sameMembers([...kindsIn(whole.entries), ...optional], [...entryKinds])
      const keys = keysOf(running)
      const scopes = [...new Set(Object.values(entryScopes))]
      for (const scope of [...scopes, ...scopes.map((each) => each.replace("read", "write"))]) {
        if (!Schema.is(Scope)(scope)) continue
        const key = yield* keys.of([...new Set(["orders:read", scope])])
        const { omitted_kinds, ...story } = (yield* running.api.get(path, key)).body.data
        const mayRead = (kind: string) => covers(["orders:read", scope], entryScopes[kind as keyof typeof entryScopes])
        const shown = whole.entries.filter(({ kind }: Entry) => mayRead(kind))
        const bare = (entries: ReadonlyArray<Entry>) => entries.map(({ after_ms: _, ...entry }) => entry)
        assert.deepStrictEqual(bare(story.entries), bare(shown), scope)
        assert.deepStrictEqual(
          omitted_kinds,
          entryKinds.filter((kind) => !mayRead(kind))
        )
      }
    })
  )
})
