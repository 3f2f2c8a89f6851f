/**
 * The framework wraps what a handler fails with (`HandlerError`) for the middleware that authenticates, and unwraps
 * it behind that. That middleware must not look at failures, and no other may be outside of it.
 */
import { readFileSync } from "node:fs"
import { Api } from "@coffer/contract/Api"
import { MerchantKey, OperatorToken } from "@coffer/contract/Caller"
import { OperatorApi } from "@coffer/contract/Operator"
import { assert, describe, it } from "@effect/vitest"
import { HttpApi, type HttpApiGroup, HttpApiMiddleware } from "effect/http-api"

/** Middleware of each endpoint, the innermost first. */
const stacksOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
  const stacks: Array<readonly [name: string, keys: ReadonlyArray<HttpApiMiddleware.AnyService>]> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { method, middlewares, path } }) =>
      void stacks.push([
        `${method} ${path}`,
        [...middlewares] as ReadonlyArray<unknown> as ReadonlyArray<HttpApiMiddleware.AnyService>
      ])
  })
  return stacks
}

describe("what proves who calls", () => {
  it("is the outermost middleware of each endpoint, so that no other sees a failure in its wrapper", () => {
    const stacks = [...stacksOf(Api), ...stacksOf(OperatorApi)]
    assert.isAbove(stacks.length, 80)
    for (const [name, keys] of stacks) {
      const kinds = keys.map((key) => HttpApiMiddleware.isSecurity(key))
      assert.deepStrictEqual(kinds, [...kinds.slice(1).map(() => false), true], name)
      assert.include([MerchantKey.key, OperatorToken.key], keys.at(-1)!.key, name)
    }
  })

  for (const file of ["MerchantKey", "peopleDoors", "auditedAct"]) {
    it(`(${file}) looks at no failure of a handler`, () => {
      const text = readFileSync(`src/door/edge/${file}.ts`, "utf8")
      const uses = text.match(/\b(Cause|Exit)\.\w+|Effect\.(catch\w*|tap(Error|Cause)\w*|onE\w+|exit|result|match\w*)/g)
      // For the audit log's own write.
      assert.deepStrictEqual(uses ?? [], file === "auditedAct" ? ["Effect.catchCause"] : [])
    })
  }
})
