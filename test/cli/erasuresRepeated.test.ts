/**
 * `coffer erasures repeat`: after it, a restored backup contains no buyer who was erased since it was made
 * (docs/decisions/0103).
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { erasedIn } from "../../packages/cli/src/erasures.ts"
import { type } from "../kit/callers/cli.ts"
import { merchantOf, said } from "../kit/Merchant.ts"
import { eventually } from "../kit/Process.ts"
import { operatorToken, start } from "../kit/Service.ts"

const hash = "0f".repeat(32)
const tradeNo = "TRD_SB_01M8B6V6AY30EH3C6QFGW4WJY0"

it("finds erasures in a log of either form and in a list, each once, and no order that was not erased", () => {
  const text = [
    `timestamp=2026-11-26T05:57:21.573Z level=INFO message="a buyer is erased" erasure_no=ers_1 mode=sandbox email_hash=${hash}`,
    `{"message":"a buyer is erased","level":"INFO","annotations":{"erasure_no":"ers_2","trade_no":"${tradeNo}"}}`,
    `{"message":"a buyer is erased","annotations":{"email_hash":"${hash}"}}`,
    `{"erasure_no":"ers_01M8B6V6AY30EH3C6QFGW4WJY0","trade_no":null,"email_hash": "${"1e".repeat(32)}"}`,
    `message="a payment failed" trade_no=TRD_01M8B6V6AY30EH3C6QFGW4WJY0`
  ].join("\n")
  assert.deepStrictEqual(erasedIn(text), [{ email_hash: hash }, { trade_no: tradeNo }, { email_hash: "1e".repeat(32) }])
})

it.live("erases again whom the log names, and counts orders that the backup has not", () =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const running = yield* start({
      logger: Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))])
    })
    const shop = merchantOf(running)
    const buy = (receipt_email: string) =>
      Effect.map(said(shop.post("/v1/orders", { amount: 1_000, receipt_email })), ({ trade_no }) => trade_no as string)
    const done = Effect.map(
      running.sql<{ n: number }>`select count(*)::int4 as n from erasures where status <> 'done'`,
      ([row]) => row!.n === 0
    )
    const alone = yield* buy("other@buyer.example")
    yield* said(shop.post("/v1/erasures", { email: "jane@buyer.example" }))
    yield* said(running.api.operator("POST", "/erasures", { trade_no: alone }))
    yield* eventually("the end of the erasures", done, "2 minutes")
    // The backup: one of the orders is as it was, the other came later, and Jane has one that is in it.
    yield* running.sql`update orders set receipt_email = 'other@buyer.example' where trade_no = ${alone}`
    const restored = yield* buy("Jane@buyer.example")
    const stranger = yield* buy("stranger@buyer.example")

    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-erased-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    const log = path.join(folder, "service.log")
    writeFileSync(log, [...lines, `message="a buyer is erased" trade_no=${tradeNo}`].join("\n"))
    const env = { COFFER_OPERATOR_TOKEN: operatorToken, COFFER_OPERATOR_URL: `${running.baseUrl}/operator/v1` }
    const counted = yield* type(["erasures", "repeat", log, "--dry-run", "--json"], env)
    assert.deepStrictEqual([counted.code, JSON.parse(counted.stdout)], [0, { found: 3, begun: 0, gone: 0 }])
    const { code, stderr, stdout } = yield* type(["erasures", "repeat", log, "--json"], env)
    assert.deepStrictEqual([code, stderr, JSON.parse(stdout)], [0, "", { found: 3, begun: 2, gone: 1 }])
    yield* eventually("the end of the erasures", done, "2 minutes")
    for (const [no, address] of [
      [restored, null],
      [alone, null],
      [stranger, "stranger@buyer.example"]
    ] as const) {
      assert.strictEqual((yield* shop.order(no))["receipt_email"], address)
    }
  }).pipe(Effect.scoped)
)
