/** The load generator of the bench, on a server that answers at once. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { run } from "../../packages/bench/src/driver/load.ts"

describe("a load", () => {
  it("that has fewer orders than a fast side pays in its warm-up is measured with its share of them", async () => {
    const server = createServer((request, response) => {
      request.resume()
      request.on("end", () => response.end("{}"))
    }).listen(0, "127.0.0.1")
    await new Promise((resolve) => void server.once("listening", resolve))
    const orders = Array.from({ length: 400 }, (_, at) => ["svc_test_x", `TRD_SB_${at}`] as const)
    let warmed = 0
    const load = {
      ports: [(server.address() as AddressInfo).port],
      connections: 4,
      // An hour, of which the orders last for a moment.
      warmupMillis: 2_700_000,
      millis: 900_000,
      kind: { kind: "pay" as const, orders }
    }
    const { done } = run(load, { warm: () => warmed++, lap: () => undefined })
    const summary = await done
    server.close()
    assert.strictEqual(warmed, 1)
    assert.isAtLeast(summary.requests, 90)
    assert.isAtMost(summary.requests, 110)
  })
})
