/** Ports for the services of tests. */
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { firstFree } from "../../packages/testkit/src/freePort.ts"
import { refusedPorts } from "../../src/platform/runtime/places.ts"
import { freePort } from "../kit/Service.ts"

describe("a port that is given", () => {
  it.live("is not one that fetch refuses to call", () =>
    Effect.gen(function* () {
      const free = yield* freePort
      for (const refused of refusedPorts) {
        const named = [refused, free]
        assert.strictEqual(yield* firstFree(() => named.shift()!), free)
        const why = yield* Effect.promise(() =>
          fetch(`http://127.0.0.1:${refused}`).catch(({ cause }) => String(cause))
        )
        assert.strictEqual(why, "Error: bad port")
      }
    })
  )

  it("is not in the complete list of such ports in Node's own fetch", () => {
    const { badPorts } = createRequire(import.meta.url)("undici/lib/web/fetch/constants.js")
    assert.deepStrictEqual([...refusedPorts], badPorts.map(Number))
  })
})
