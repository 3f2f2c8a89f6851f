/**
 * The scopes of the table of acts (`packages/contract/src/acts.ts`), tried through HTTP on all routes of `/v1`
 * (silences: U26).
 */
import { Api } from "@coffer/contract/Api"
import { merchantActs, type Operation } from "@coffer/contract/acts"
import { covers, isOfSandbox, Scope } from "@coffer/model/Scopes"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { HttpApiGroup } from "effect/http-api"
import { type Keys, keysOf } from "../../kit/callers/apiKeys.ts"
import { type Running, start } from "../../kit/Service.ts"
import { fileOf, filePart, formOf, headersOfForm } from "../../kit/callers/uploads.ts"

interface Route {
  readonly operation: Operation
  readonly method: string
  readonly path: string
}

const routes = (Object.values(Api.groups) as unknown as ReadonlyArray<HttpApiGroup.Top>).flatMap((group) =>
  Object.values(group.endpoints).map(({ identifier, method, path }): Route => ({
    operation: `${group.identifier}.${identifier}` as Operation,
    method,
    path
  }))
)

/** With parameters that name nothing: a call that is let through is refused for another reason, or answered. */
const pathOf = ({ path }: Route) => path.replace(":currency", "USD").replace(/:\w+/g, "nothing")

const call = ({ api }: Running, route: Route, key: string) => {
  const path = pathOf(route)
  if (route.operation === "files.upload") {
    return api.call("POST", path, { key, raw: formOf(filePart(fileOf("png"))), headers: headersOfForm })
  }
  return api.call(route.method, path, { key, ...(route.method === "POST" ? { body: {} } : {}) })
}

class Service extends Context.Service<Service, { readonly running: Running; readonly keys: Keys }>()("test/scopes") {}
const service = Layer.effect(
  Service,
  Effect.map(start(), (running) => ({ running, keys: keysOf(running) }))
)

describe("the table of acts", () => {
  it("asks for each scope that there is", () => {
    assert.sameMembers([...new Set(Object.values(merchantActs).map(({ scope }) => scope))], [...Scope.literals])
  })

  it("asks for a scope to read where nothing is written and no secret is shown", () => {
    for (const { method, operation } of routes) {
      // An archive is requested with an address, which is in no URL.
      const reads =
        operation === "exports.buyer" || (method === "GET" && operation !== "webhook_endpoints.signingSecret")
      assert.strictEqual(merchantActs[operation].scope.endsWith(":read"), reads, operation)
    }
  })
})

layer(service, { excludeTestServices: true })("a key with scopes", (it) => {
  for (const route of routes) {
    const scope = merchantActs[route.operation].scope
    it.effect(`${route.method} ${route.path} is refused to it without ${scope}, and let through with it alone`, () =>
      Effect.gen(function* () {
        const { keys, running } = yield* Service
        const others = Scope.literals.filter((other) => !covers([other], scope))
        const refused = yield* call(running, route, yield* keys.of(others))
        assert.deepStrictEqual([refused.status, refused.body.error], [403, "forbidden"], refused.text)
        assert.include(refused.body.message, scope)
        const through = yield* call(running, route, yield* keys.of([scope]))
        assert.notInclude([401, 403], through.status, through.text)
        assert.isBelow(through.status, 500, through.text)
      })
    )
  }

  it.effect("that may write a resource may read it, and not the other way round", () =>
    Effect.gen(function* () {
      const { keys, running } = yield* Service
      const list = { operation: "orders.list", method: "GET", path: "/v1/orders" } as const
      const create = { operation: "orders.create", method: "POST", path: "/v1/orders" } as const
      assert.strictEqual((yield* call(running, list, yield* keys.of(["orders:write"]))).status, 200)
      assert.strictEqual((yield* call(running, create, yield* keys.of(["orders:read"]))).status, 403)
    })
  )

  it.effect("and the main key is refused no operation for its scope", () =>
    Effect.gen(function* () {
      const { running } = yield* Service
      for (const route of routes) {
        const reply = yield* call(running, route, running.merchant.sandboxKey)
        assert.notInclude([401, 403], reply.status, `${route.operation}: ${reply.text}`)
      }
    })
  )

  it.effect("of live has no test helpers, as the main key of live", () =>
    Effect.gen(function* () {
      const { keys, running } = yield* Service
      const { api, merchant } = running
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
      const key = yield* keys.of(["orders:read"], "live")
      for (const route of routes.filter(({ operation }) => isOfSandbox(merchantActs[operation].scope))) {
        const { body, status } = yield* call(running, route, key)
        assert.deepStrictEqual([status, body.error], [404, "route_not_found"], route.operation)
      }
    })
  )
})
