/** Somebody on the runners' network who tries to credit a wallet (docs/security.md). */
import { assert, describe, it } from "@effect/vitest"
import { Minor } from "@coffer/model/Money"
import { evolve } from "@coffer/rules/order/evolve"
import { emptyWallet } from "@coffer/rules/wallet/Wallet"
import { Cause, Effect, Exit, Fiber, Redacted } from "effect"
import { replacement } from "../../src/orders/OrderStore.ts"
import type { Entry } from "../../src/wallets/Entry.ts"
import { posted } from "../../src/wallets/WalletStore.ts"
import { facts, PaymentSucceeded, pendingOrder } from "../kit/fixtures.ts"
import { forge } from "../kit/forging.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { keyNamed } from "../kit/Peers.ts"
import { connect, eventually } from "../kit/Process.ts"
import { freePort, freshDatabase, secretKey } from "../kit/Service.ts"
import { runner } from "../kit/TwoRunners.ts"

const amount = 1_234_567
const gift: Entry = {
  movements: [{ type: "payment_credit", amount, referenceId: "TRD_SB_7", description: "Payment of nothing" }],
  reserve: 0,
  changes: []
}

describe("a posting that somebody sends to a runner port", () => {
  for (const [who, key] of [
    ["without a key", undefined],
    ["with another key", keyNamed("another")]
  ] as const) {
    it.live(`${who} is refused, logged and counted, and credits nothing`, () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const port = yield* freePort
        const coffer = yield* runner(database, { RUNNER_PORT: String(port) })
        yield* coffer.ready
        const { merchantId, sandboxKey } = yield* coffer.api.newMerchant()
        const forging = yield* Effect.forkChild(forge({ host: "127.0.0.1", port }, merchantId, gift, key))
        yield* eventually(
          "it to be counted",
          Effect.map(coffer.api.get("/metrics"), ({ text }) =>
            /^coffer_runner_connections_refused\{.*reason="handshake".*\} [1-9]/m.test(text)
          ),
          "1 minute"
        )
        yield* Fiber.interrupt(forging)
        assert.match(coffer.said.stderr, /a connection from 127\.0\.0\.1:\d+ to the runner port was refused/)
        const { body } = yield* coffer.api.get("/v1/balance?currency=USD", sandboxKey)
        assert.strictEqual(body.data.available_balance, 0)
        const sql = yield* connect(database)
        assert.deepStrictEqual(yield* sql`select 1 from ledger`, [])
        yield* assertLedgerWhole(sql)
      })
    )
  }
})

/** What somebody with the key may try, and by whom it is refused. `order`: a pending order of 5.00 of the wallet's merchant. */
const attempts: Readonly<Record<string, (order: typeof pendingOrder) => readonly [entry: Entry, refusal: RegExp]>> = {
  "a payment without its order": () => [gift, /comes without the row of TRD_SB_7/],
  "a payment of another amount than its order's": (order) => {
    const paid = evolve(order, PaymentSucceeded.make({ facts: { ...facts, amount: Minor.make(amount) } }))
    const movements = gift.movements.map((movement) => ({ ...movement, referenceId: order.tradeNo }))
    const changes = [replacement({ order, version: 1 }, paid, order.createdAt)]
    return [{ movements, reserve: 0, changes }, /"reason":"rejected"/]
  },
  "a wallet's row": (order) => {
    const empty = emptyWallet(order, order.createdAt)
    return [
      { ...gift, movements: [], changes: posted(empty, { ...empty, available: amount }, []) },
      /no row of wallets/
    ]
  }
}

const told = (cause: Cause.Cause<unknown>) => `${Cause.pretty(cause)} ${JSON.stringify(Cause.squash(cause))}`

describe("somebody who has the key", () => {
  it.live(`cannot post ${Object.keys(attempts).join(", or ")}`, () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const port = yield* freePort
      const coffer = yield* runner(database, { RUNNER_PORT: String(port) })
      yield* coffer.ready
      const sql = yield* connect(database)
      const { merchantId, sandboxKey } = yield* coffer.api.newMerchant()
      const created = yield* coffer.api.post("/v1/orders", sandboxKey, { amount: 500, currency: "USD" })
      const { trade_no: tradeNo } = created.body.data
      const order = { ...pendingOrder, merchantId, tradeNo, amount: Minor.make(500) } as typeof pendingOrder
      for (const [what, of] of Object.entries(attempts)) {
        const [entry, refusal] = of(order)
        const key = Redacted.make(secretKey)
        const exit = yield* Effect.exit(forge({ host: "127.0.0.1", port }, merchantId, entry, key))
        assert.match(Exit.isFailure(exit) ? told(exit.cause) : "it was taken", refusal, what)
      }
      const { body } = yield* coffer.api.get("/v1/balance?currency=USD", sandboxKey)
      assert.strictEqual(body.data.available_balance, 0)
      assert.deepStrictEqual(yield* sql`select 1 from ledger`, [])
      assert.deepStrictEqual(yield* sql`select status from orders`, [{ status: "pending" }])
      yield* assertLedgerWhole(sql)
      // The runner goes on as if nothing had been.
      const paid = yield* coffer.api.post(`/v1/test_helpers/orders/${tradeNo}/pay`, sandboxKey, {})
      assert.deepStrictEqual([paid.status, paid.body.data.status], [200, "paid"])
    })
  )
})
