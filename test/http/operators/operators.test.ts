/** Operators by name: tokens that are created, listed, revoked, and that expire (docs/architecture.md, section 7). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { callAs, newOperator } from "../../kit/callers/operators.ts"
import { start } from "../../kit/Service.ts"

it.live("a token is shown once, works as its operator, and stops working the moment it is revoked", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start()
    const { operator_id, token } = yield* newOperator(api, "Ada", "support")
    assert.match(token, /^opt_[\w-]{43}$/)
    const path = `/merchants/${merchant.merchantId}`
    assert.strictEqual((yield* callAs(api, token, "GET", path)).status, 200)
    const listed = yield* api.operator("GET", "/operators")
    assert.deepStrictEqual(
      listed.body.data.data.map(({ name, role }: Record<string, unknown>) => [name, role]),
      [["Ada", "support"]]
    )
    assert.notInclude(listed.text, token)
    const revoked = yield* api.operator("POST", `/operators/${operator_id}/revoke`)
    assert.isString(revoked.body.data.revoked_at)
    const refused = yield* callAs(api, token, "GET", path)
    assert.deepStrictEqual([refused.status, refused.body.error], [401, "invalid_api_key"])
    const again = yield* api.operator("POST", `/operators/${operator_id}/revoke`)
    assert.strictEqual(again.body.data.revoked_at, revoked.body.data.revoked_at)
  })
)

it.effect("a token expires after the days that were asked for", () =>
  Effect.gen(function* () {
    const { api, leap } = yield* start({ clock: "test" })
    const created = yield* api.operator("POST", "/operators", { name: "Bo", role: "viewer", expires_in_days: 2 })
    const { token } = created.body.data
    yield* leap("47 hours")
    assert.strictEqual((yield* callAs(api, token, "GET", "/merchants")).status, 200)
    yield* leap("1 hour")
    assert.strictEqual((yield* callAs(api, token, "GET", "/merchants")).status, 401)
  })
)

it.live("a bad request names its field, and an unknown operator is 404", () =>
  Effect.gen(function* () {
    const { api } = yield* start()
    const cases: ReadonlyArray<readonly [object, string]> = [
      [{ role: "viewer" }, "name"],
      [{ name: "", role: "viewer" }, "name"],
      [{ name: "Eve", role: "root" }, "role"],
      [{ name: "Eve", role: "viewer", expires_in_days: 0 }, "expires_in_days"],
      [{ name: "Eve", role: "viewer", expires_in_days: 366 }, "expires_in_days"]
    ]
    for (const [body, param] of cases) {
      const refused = yield* api.operator("POST", "/operators", body)
      assert.deepStrictEqual([refused.status, refused.body.param], [400, param])
    }
    const none = yield* api.operator("POST", "/operators/opr_00000000000000000000000000/revoke")
    assert.deepStrictEqual([none.status, none.body.error], [404, "operator_not_found"])
  })
)
