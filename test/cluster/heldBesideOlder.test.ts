/**
 * Orders that are authorized, in a cluster with runners of the version before holds (docs/decisions/0283): on the way
 * back they are there, and the older runners own some of them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { shapes } from "../../src/platform/cluster/messages.ts"
import { buildVersion } from "../../src/platform/runtime/Vitals.ts"
import { eventually } from "../kit/Process.ts"
import { upgrading } from "../kit/program/upgrades.ts"
import { commitBefore, hasPackagesOf, ofCommit } from "../kit/program/versions.ts"
import { eachOwnsAPart, newWallets, ownerOf } from "../kit/runners/threeRunners.ts"

const isThere = commitBefore !== undefined && hasPackagesOf(commitBefore)
const title = "authorized orders beside a runner of the version before"

describe.skipIf(!isThere)(
  isThere ? title : `${title} (left out: this clone has not the commit that stands for it)`,
  () => {
    it.live("are captured and canceled, or stay authorized; none expires, and no new one is made", () =>
      Effect.gen(function* () {
        const { joined, left, sql } = yield* upgrading
        const newest = { main: inject("program"), version: buildVersion, shapes }
        const [one, other] = [yield* joined(newest), yield* joined(newest)]
        const { api } = one.coffer
        const wallets = yield* newWallets(one.coffer)
        const post = (path: string, key: string, body: object = {}, to = api) => to.post(path, key, body)
        const create = (key: string, currency: string) =>
          post("/v1/orders", key, { amount: 1_000, currency, capture: "manual" })
        const orders = yield* Effect.forEach(wallets, ({ currency, key, ...wallet }) =>
          Effect.gen(function* () {
            const [held, waiting] = [yield* create(key, currency), yield* create(key, currency)]
            const tradeNo: string = held.body.data.trade_no
            yield* post(`/v1/test_helpers/orders/${tradeNo}/authorize`, key)
            return { tradeNo, waiting: waiting.body.data.trade_no as string, key, wallet: { currency, key, ...wallet } }
          })
        )
        yield* left(other, "SIGTERM")
        const old = yield* joined(yield* ofCommit(commitBefore!, "0.0.9"))
        const owners = yield* eachOwnsAPart(sql, 2)
        const theirs = orders.filter(({ wallet }) => ownerOf(wallet, owners) === old.coffer.pid)
        const ours = orders.filter(({ wallet }) => ownerOf(wallet, owners) === one.coffer.pid)
        assert.isAbove(theirs.length, 2)
        assert.isAbove(ours.length, 2)
        const statusOf = (tradeNo: string) =>
          Effect.map(
            sql<{ status: string; hold: object }>`select status, hold from orders where trade_no = ${tradeNo}`,
            ([row]) => row!
          )

        // A new one could be charged at once, at the older runner's checkout.
        assert.strictEqual((yield* create(orders[0]!.key, "USD")).status, 503)
        const link = { amount: 100, capture: "manual" }
        assert.strictEqual((yield* post("/v1/payment_links", orders[0]!.key, link)).status, 503)

        // Where this version owns the order, all goes on.
        const [first, second] = ours as [(typeof ours)[0], (typeof ours)[0]]
        const captured = yield* post(`/v1/orders/${first.tradeNo}/capture`, first.key, { amount: 700 })
        assert.strictEqual(captured.body.data.status, "paid", captured.text)
        const canceled = yield* post(`/v1/orders/${second.tradeNo}/expire`, second.key)
        assert.strictEqual(canceled.body.data.status, "canceled", canceled.text)
        const authorized = yield* post(`/v1/test_helpers/orders/${first.waiting}/authorize`, first.key)
        assert.strictEqual(authorized.body.data.status, "authorized", authorized.text)

        // Where the older one does, nothing is done, by neither.
        const [their, next] = theirs as [(typeof theirs)[0], (typeof theirs)[0]]
        const refused = [
          yield* post(`/v1/orders/${their.tradeNo}/capture`, their.key, { amount: 700 }),
          yield* post(`/v1/orders/${their.tradeNo}/expire`, their.key),
          yield* post(`/v1/orders/${their.tradeNo}/expire`, their.key, {}, old.coffer.api),
          yield* post(`/v1/test_helpers/orders/${their.waiting}/authorize`, their.key)
        ]
        assert.deepStrictEqual(
          refused.map(({ status }) => status),
          [503, 503, 503, 503]
        )
        const payments = yield* sql`select 1 from sandbox_payments where trade_no = ${their.waiting}`
        assert.deepStrictEqual(payments, [], "the bank holds what the order does not know of")

        // The deadline of its checkout comes: the older program's worker does not close it.
        yield* sql`update orders set due_at = now() - interval '1 minute', expires_at = now() - interval '1 minute'
        where trade_no = any(${[their.tradeNo, next.tradeNo, next.waiting]}::text[])`
        yield* eventually(
          "the one without a payment to expire",
          Effect.map(statusOf(next.waiting), ({ status }) => status === "expired")
        )
        yield* eventually(
          "the older worker to have tried the others",
          Effect.map(
            sql`select 1 from orders where trade_no = any(${[their.tradeNo, next.tradeNo]}::text[]) and due_attempts > 0`,
            ({ length }) => length === 2
          )
        )
        for (const { tradeNo } of [their, next]) assert.strictEqual((yield* statusOf(tradeNo)).status, "pending")

        // Forth again: all of it can be captured.
        yield* left(old, "SIGTERM")
        for (const { key, tradeNo } of theirs) {
          const done = yield* post(`/v1/orders/${tradeNo}/capture`, key)
          assert.strictEqual(done.body.data?.status, "paid", done.text)
        }
        assert.strictEqual((yield* create(orders[0]!.key, "USD")).status, 201)
      })
    )
  }
)
