/** The call that an act of the console shows for a program is the one that the published document has. */
import { merchantActs, type Operation } from "@coffer/contract/acts"
import { assert, describe, it } from "@effect/vitest"
import { callOf } from "../../packages/console/src/merchant/MerchantAct.tsx"
import { merchantDocument } from "../kit/routes/contract.ts"

/** The published names of operations, by what a program calls. */
const published = Object.entries(merchantDocument.document["paths"]).flatMap(([path, methods]) =>
  Object.entries(methods as Readonly<Record<string, { readonly operationId?: string }>>).map(
    ([method, { operationId }]) => `${method.toUpperCase()} ${path} coffer.${operationId}`
  )
)

describe("a call that the console shows", () => {
  it("has the method, the path and the SDK's name of its operation in the published document", () => {
    // Each parameter is filled with its own name, as the document writes it.
    const params = new Proxy({}, { get: (_, name) => `{${String(name)}}` })
    const shown = (Object.keys(merchantActs) as ReadonlyArray<Operation>).map((operation) => {
      const { method, path, sdk } = callOf(operation, { params })
      return `${method} ${path} ${sdk}`
    })
    assert.isAbove(shown.length, 40)
    assert.deepStrictEqual(
      shown.filter((call) => !published.includes(call)),
      []
    )
  })

  it("has the parameters as arguments of the SDK, the body, and the query in its path", () => {
    const changed = callOf("refunds.update", { params: { ref: "REF_1" }, payload: { metadata: {} } }, "refunds edit")
    assert.deepStrictEqual(
      [changed.path, changed.args, changed.body, changed.cli],
      ["/v1/refunds/REF_1", ["REF_1"], { metadata: {} }, "refunds edit"]
    )
    assert.strictEqual(callOf("events.list", { query: { limit: "10" } }).path, "/v1/events?limit=10")
  })
})
