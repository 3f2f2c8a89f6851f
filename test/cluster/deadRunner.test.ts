/** Work that a runner had begun when it was killed, and requests that are retried afterwards (silences: I6, R15). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { locks, standing, standStill } from "../kit/faults/standStill.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { answered, type Coffer, connect, eventually } from "../kit/Process.ts"
import { receiver } from "../kit/Receiver.ts"
import { insertDeliveries } from "../kit/rows/Rows.ts"
import { freePort, freshDatabase, ownersConnection } from "../kit/Service.ts"
import { newWallets } from "../kit/runners/threeRunners.ts"
import {
  newKey,
  newOrder,
  type Order,
  performAtLast,
  runner,
  twoRunnersWith,
  type Wallet
} from "../kit/runners/TwoRunners.ts"

const testTimeout = 240_000

/** The sandbox's bank does not finish looking up the payment until the scope closes. */
const bankStandsStill = (sql: SqlClient.SqlClient) =>
  standStill(
    sql,
    "alter table sandbox_payments enable row level security",
    "create policy stand on sandbox_payments using (stand()) with check (true)"
  )

const refundOf = ({ key, tradeNo }: Order, { api }: Coffer) =>
  api.call("POST", "/v1/refunds", { key, headers: { "Idempotency-Key": "k" }, body: { trade_no: tradeNo } })

describe("a runner that is killed while the bank is asked for a refund with an Idempotency-Key", () => {
  for (const door of ["another runner", "its successor at the same address"] as const) {
    it.live(
      `is not waited for: ${door} finishes the refund before the lease ends, and the buyer is paid back once`,
      () =>
        Effect.gen(function* () {
          const database = yield* freshDatabase
          const sql = yield* connect(database)
          const place = { RUNNER_PORT: String(yield* freePort) }
          const doomed = yield* runner(database, place)
          const other = yield* runner(database)
          yield* doomed.ready
          yield* other.ready
          const key = yield* newKey(doomed)
          const wallet: Wallet = { key, currency: "USD" }
          // Fees are not returned, so another order has to cover them.
          yield* performAtLast(doomed, "pay", yield* newOrder(doomed, wallet, { amount: 100_000 }))
          const order = yield* newOrder(doomed, wallet)
          yield* performAtLast(doomed, "pay", order)

          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* bankStandsStill(yield* ownersConnection(database))
              yield* Effect.forkChild(answered(refundOf(order, doomed)))
              yield* eventually(
                "the bank to be asked",
                Effect.map(standing(sql), (waiting) => waiting > 0)
              )
              doomed.signal("SIGKILL")
              yield* doomed.ended
            })
          )
          const running = sql<{ run: number }>`select run from idempotency_keys where state = 'running'`
          const [{ run } = { run: 0 }] = yield* running
          assert.isAbove(run, 1)
          yield* eventually(
            "Postgres to notice",
            Effect.map(locks(sql, run, true), (held) => held === 0)
          )
          // A caller that waited for a lease would wait for an hour, and so would a worker.
          yield* sql`update idempotency_keys set lease_until = lease_until + interval '1 hour' where state = 'running'`
          yield* sql`update refunds set updated_at = updated_at + interval '1 hour',
            next_check_at = next_check_at + interval '1 hour'`
          const at = door === "another runner" ? other : yield* runner(database, place)
          yield* at.ready
          // The dead runner's wallets have to move first: a try in between would answer that the refund is pending.
          yield* performAtLast(at, "pay", yield* newOrder(at, wallet))

          let retried = yield* refundOf(order, at)
          while (retried.status === 503) retried = yield* refundOf(order, at)
          assert.strictEqual(retried.status, 200, `${retried.text} ${at.said.stderr}`)
          const rows = yield* sql`select refund_no, run from refunds`
          assert.deepStrictEqual(rows, [{ refund_no: retried.body.data.refund_no, run }])
          assert.strictEqual(retried.body.data.status, "succeeded")
          assert.strictEqual((yield* sql`select 1 from sandbox_refunds`).length, 1)
          yield* assertLedgerWhole(sql)
        }),
      testTimeout
    )
  }
})

describe("a runner that is killed between the commit of an event and its delivery", () => {
  it.live(
    "leaves a delivery that another runner begins when the connection breaks, and not when it looks by itself",
    () =>
      Effect.gen(function* () {
        const hook = yield* receiver
        const { a: doomed, b: other, sql } = yield* twoRunnersWith({ WORKER_POLL: "1 hour" })
        const { merchantId } = yield* doomed.api.newMerchant()
        // Each runner owns some of these wallets, so the two are connected from then on.
        for (const wallet of yield* newWallets(doomed)) {
          yield* performAtLast(doomed, "pay", yield* newOrder(doomed, wallet))
          yield* performAtLast(other, "pay", yield* newOrder(other, wallet))
        }
        // No runner is notified, as when its own dies at once.
        yield* insertDeliveries(sql, { merchantId, count: 1 }, `'${new URL(hook.url).host}'`)
        doomed.signal("SIGKILL")
        yield* Effect.timeoutOrElse(hook.next, {
          duration: "1 minute",
          orElse: () => Effect.die(new Error("nobody has delivered it"))
        })
      }),
    testTimeout
  )
})
