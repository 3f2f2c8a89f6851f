/** An attacker on the runners' network who tries to credit a wallet (docs/security.md). */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Redacted } from "effect"
import { forge } from "../kit/runners/forging.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { keyNamed } from "../kit/runners/Peers.ts"
import { connect, eventually } from "../kit/Process.ts"
import { freePort, freshDatabase, secretKey } from "../kit/Service.ts"
import { runner } from "../kit/runners/TwoRunners.ts"

const amount = 1_234_567

/** The command that a buyer has paid. */
const payment = (tradeNo: string, version = 1) => ({
  name: "order",
  body: {
    id: tradeNo,
    version,
    command: {
      _tag: "ConfirmPayment",
      facts: {
        channel: "sandbox",
        paymentId: "pay_01JZ0000000000000000000001",
        method: "card",
        card: null,
        amount,
        currency: "USD",
        paidAt: "2026-01-02T03:04:05.678Z",
        refundableUntil: null,
        fee: 0
      }
    }
  }
})

/** A row of the ledger, as it once travelled. */
const row = { op: "insert", table: "ledger", cells: ["led_1", amount] }

describe("a posting that is forged at a runner port", () => {
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
        const forging = yield* Effect.forkChild(
          forge({ host: "127.0.0.1", port }, merchantId, [payment("TRD_SB_7")], key)
        )
        yield* eventually(
          "it to be counted",
          Effect.map(coffer.api.get("/metrics"), ({ text }) =>
            /^coffer_runner_connections_refused_total\{.*reason="handshake".*\} [1-9]/m.test(text)
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

/**
 * The attempts of an attacker with the key, the answer to each, and whether it counts as a message that no runner
 * sends.
 */
const attempts: Readonly<
  Record<string, (tradeNo: string) => readonly [commands: unknown, refusal: RegExp, isCounted: boolean]>
> = {
  "a row": () => [[{ name: "row", body: row }], /"reason":"rejected"/, true],
  "a payment with a row beside it": (tradeNo) => {
    const command = payment(tradeNo)
    return [[{ ...command, body: { ...command.body, changes: [row] } }], /"reason":"rejected"/, true]
  },
  "rows in place of commands": () => [
    { movements: [{ type: "payment_credit", amount }], reserve: 0, changes: [row] },
    /"reason":"rejected"/,
    true
  ],
  "a payment of no order": () => [[payment("TRD_SB_01JZ0000000000000000000001")], /"reason":"rejected"/, false],
  "a payment of an order that has changed since": (tradeNo) => [[payment(tradeNo, 2)], /StaleVersion/, false]
}

/** How many messages a runner has refused. */
const counted = (metrics: string) => Number(/^coffer_runner_messages_refused_total\S* (\d+)/m.exec(metrics)?.[1])

const told = (cause: Cause.Cause<unknown>) => `${Cause.pretty(cause)} ${JSON.stringify(Cause.squash(cause))}`

describe("an attacker with the key", () => {
  it.live(`cannot post ${Object.keys(attempts).join(", or ")}; what no runner sends is logged and counted`, () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const port = yield* freePort
      const coffer = yield* runner(database, { RUNNER_PORT: String(port) })
      yield* coffer.ready
      const sql = yield* connect(database)
      const { merchantId, sandboxKey } = yield* coffer.api.newMerchant()
      const created = yield* coffer.api.post("/v1/orders", sandboxKey, { amount: 500, currency: "USD" })
      const { trade_no: tradeNo } = created.body.data
      let refused = 0
      for (const [what, of] of Object.entries(attempts)) {
        const [commands, refusal, isCounted] = of(tradeNo)
        const key = Redacted.make(secretKey)
        const exit = yield* Effect.exit(forge({ host: "127.0.0.1", port }, merchantId, commands, key))
        assert.match(Exit.isFailure(exit) ? told(exit.cause) : "it was taken", refusal, what)
        refused += isCounted ? 1 : 0
        assert.strictEqual(counted((yield* coffer.api.get("/metrics")).text), refused, what)
      }
      assert.lengthOf(coffer.said.stderr.match(/a message of another runner was refused/g) ?? [], 1)
      const { body } = yield* coffer.api.get("/v1/balance?currency=USD", sandboxKey)
      assert.strictEqual(body.data.available_balance, 0)
      assert.deepStrictEqual(yield* sql`select 1 from ledger`, [])
      assert.deepStrictEqual(yield* sql`select status from orders`, [{ status: "pending" }])
      yield* assertLedgerWhole(sql)
      // The runner continues undisturbed.
      const paid = yield* coffer.api.post(`/v1/test_helpers/orders/${tradeNo}/pay`, sandboxKey, {})
      assert.deepStrictEqual([paid.status, paid.body.data.status], [200, "paid"])
    })
  )
})
