/** Deprecated operations, as announced to callers and operators (docs/versioning.md, Deprecation). */
import { Api } from "@coffer/contract/Api"
import { Deprecations, markDeprecated } from "@coffer/contract/deprecations"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { OpenApi } from "effect/http-api"
import * as Faults from "../../../src/platform/runtime/Faults.ts"
import { start } from "../../kit/Service.ts"

const deprecations: Deprecations = {
  "GET /v1/orders/{ref}": { since: "2027-01-31", sunset: "2028-01-31", instead: "the list with `out_trade_no`." }
}

describe("an operation that will go", () => {
  it.live("says so in the headers of each answer, refusals too, and in the access log; others do not", () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ fiber }) => {
        const { deprecated, route } = fiber.getRef(References.CurrentLogAnnotations)
        if (route !== undefined) lines.push([route, deprecated])
      })
      const { api, baseUrl, merchant } = yield* start({
        env: { ACCESS_LOG: "true" },
        faults: Layer.merge(Faults.layer, Logger.layer([logger])),
        beneath: Layer.succeed(Deprecations, deprecations)
      })
      const { body } = yield* api.call("POST", "/v1/orders", { key: merchant.sandboxKey, body: { amount: 1_999 } })
      lines.length = 0
      const headersAt = (path: string) =>
        Effect.map(api.get(path, merchant.sandboxKey), ({ headers }) =>
          ["deprecation", "sunset", "link"].map((name) => headers.get(name))
        )
      const own = `<${baseUrl}/docs/versioning#deprecation>; rel="deprecation"`
      const dates = ["@1801353600", "Mon, 31 Jan 2028 00:00:00 GMT"]
      assert.deepStrictEqual(yield* headersAt(`/v1/orders/${body.data.trade_no}`), [...dates, own])
      const help = `<${baseUrl}/docs/errors/order_not_found>; rel="help"`
      assert.deepStrictEqual(yield* headersAt("/v1/orders/absent"), [...dates, `${help}, ${own}`])
      assert.deepStrictEqual(yield* headersAt("/v1/orders"), [null, null, null])
      assert.deepStrictEqual(lines, [
        ["/v1/orders/{ref}", true],
        ["/v1/orders/{ref}", true],
        ["/v1/orders", undefined]
      ])
    })
  )

  it("is marked in the OpenAPI document, with the day and what to use instead", () => {
    const { paths } = markDeprecated(structuredClone(OpenApi.fromApi(Api)), deprecations)
    const { deprecated, description } = paths["/v1/orders/{ref}"].get
    assert.isTrue(deprecated)
    assert.match(description, /It may be gone from 2028-01-31 on\. Instead: the list with `out_trade_no`\.$/)
    assert.isUndefined(paths["/v1/orders"].get.deprecated)
  })
})
