/** Somebody on the runners' network who tries to credit a wallet (docs/security.md). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { forgePost } from "../kit/forging.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { keyNamed } from "../kit/Peers.ts"
import { connect, eventually } from "../kit/Process.ts"
import { freePort, freshDatabase } from "../kit/Service.ts"
import { runner } from "../kit/TwoRunners.ts"

const amount = 1_234_567

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
        const forging = yield* Effect.forkChild(forgePost({ host: "127.0.0.1", port }, { merchantId, amount }, key))
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
        assert.strictEqual(body.data.available_balance ?? body.data.available, 0)
        const sql = yield* connect(database)
        assert.deepStrictEqual(yield* sql`select 1 from ledger`, [])
        yield* assertLedgerWhole(sql)
      })
    )
  }
})
