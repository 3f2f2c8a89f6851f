/** Quotas of those who are no merchant's program: people of the console, operators, visitors who sign in (silences: U31). */
import { assert, describe, it } from "@effect/vitest"
import { Api } from "@coffer/contract/Api"
import { ConsoleApi } from "@coffer/contract/Console"
import { McpApi } from "@coffer/contract/Mcp"
import { OperatorApi } from "@coffer/contract/Operator"
import { operatorQuotas, quotaOf } from "@coffer/model/Quotas"
import { Effect, Fiber } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { consoleBrowser, invite, signIn } from "../../kit/callers/console.ts"
import { callAs, entriesOf, newOperator } from "../../kit/callers/operators.ts"
import { eventually } from "../../kit/Process.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { freshDatabase, ownersConnection, start } from "../../kit/Service.ts"

/** The doors, each of which counts what passes it: the cases below, and `test/http/edge/quotas.long.test.ts`. */
const counting = ["Quotas", "PersonSession", "OperatorToken", "ConsoleGuest"].map((name) => `@coffer/contract/${name}`)

describe("a quota", () => {
  it("is at every endpoint of every contract", () => {
    const endpoints = [Api, OperatorApi, ConsoleApi, McpApi]
      .flatMap(({ groups }) => Object.values(groups) as unknown as ReadonlyArray<HttpApiGroup.Top>)
      .flatMap(({ endpoints }) => Object.values(endpoints) as unknown as ReadonlyArray<HttpApiEndpoint.Top>)
    const free = endpoints.filter(({ middlewares }) =>
      [...middlewares].every((middleware) => !counting.includes((middleware as { readonly key: string }).key))
    )
    assert.isAbove(endpoints.length, 100)
    assert.deepStrictEqual(
      free.map(({ method, path }) => `${method} ${path}`),
      []
    )
  })

  const begin = Effect.gen(function* () {
    const mails = yield* mailServer()
    const env = { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" }
    const running = yield* start({ clock: "test", env })
    const { api, merchant } = running
    const { merchantId } = merchant
    const enter = Effect.fnUntraced(function* (role: string) {
      const email = `${role}@shop.example`
      yield* invite(api, mails, { email, merchant_id: merchantId, role })
      return yield* signIn(api, mails, email)
    })
    return { ...running, merchantId, enter }
  })
  const all = <A, E, R>(times: number, call: Effect.Effect<A, E, R>) =>
    Effect.all(
      Array.from({ length: times }, () => call),
      { concurrency: 8 }
    )

  it.live("counts what one person does, and no other's; what it refuses is nowhere in the audit log", () =>
    Effect.gen(function* () {
      const { api, enter, merchantId, pass } = yield* begin
      const viewer = yield* enter("viewer")
      const support = yield* enter("support")
      const at = `/merchants/${merchantId}/views`
      const save = viewer.call("POST", at, { page: "orders", name: "Paid", query: "" })
      const limit = quotaOf({}, "writes")
      yield* all(limit, save)
      const refused = yield* save
      assert.deepStrictEqual([refused.status, refused.body.error], [429, "rate_limited"])
      assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
      assert.match(refused.headers.get("ratelimit") ?? "", /^"writes";r=0;/)
      // The calls of an account count for the same person.
      const create = yield* viewer.call("POST", `/accounts/${merchantId}/sandbox/orders`, { amount: 100 })
      assert.strictEqual(create.status, 429)
      assert.strictEqual((yield* viewer.call("GET", at)).status, 200, "reads are counted by themselves")
      assert.strictEqual((yield* support.call("POST", at, { page: "orders", name: "Paid", query: "" })).status, 201)
      const entries = yield* entriesOf(api)
      assert.deepStrictEqual(
        entries.filter(({ actor, act }) => actor === "viewer@shop.example" && !String(act).includes("sign_in")),
        []
      )
      yield* pass("1 minute")
      assert.notStrictEqual((yield* save).status, 429)
    }).pipe(Effect.scoped)
  )

  it.live("counts what one operator does, by a token or in the console, and no other's", () =>
    Effect.gen(function* () {
      const { api } = yield* begin
      const { token } = yield* newOperator(api, "Ben", "viewer")
      const look = callAs(api, token, "POST", "/merchants", { name: "x" })
      assert.deepStrictEqual(
        new Set((yield* all(operatorQuotas.writes, look)).map(({ status }) => status)),
        new Set([403])
      )
      const refused = yield* look
      assert.deepStrictEqual([refused.status, refused.body.error], [429, "rate_limited"])
      assert.isTrue(refused.headers.has("retry-after"))
      assert.strictEqual((yield* api.operator("POST", "/merchants", { name: "y" })).status, 201)
    }).pipe(Effect.scoped)
  )

  it.live("counts tries to sign in by the address that they come from", () =>
    Effect.gen(function* () {
      const { api } = yield* begin
      const guest = consoleBrowser(api)
      const tries = yield* all(100, guest.call("POST", "/sign_in/passkey/options"))
      assert.include(
        tries.map(({ status }) => status),
        429
      )
    }).pipe(Effect.scoped)
  )
})

describe("acts that wait for the lock of the audit log", () => {
  it.live("hold one connection of the pool, however many there are", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const { api, merchant } = yield* start({ database })
      const owner = yield* ownersConnection(database)
      const acts = yield* Effect.gen(function* () {
        yield* owner`select pg_advisory_xact_lock(hashtext('coffer audit_log'))`
        const acts = yield* Effect.forkScoped(
          Effect.all(
            Array.from({ length: 60 }, (_, n) =>
              api.operator("POST", `/merchants/${merchant.merchantId}`, { note: `${n}` })
            ),
            { concurrency: "unbounded" }
          )
        )
        const waiting = Effect.map(
          owner<{ readonly n: number }>`select count(*)::int4 as n from pg_locks
            where locktype = 'advisory' and not granted`,
          ([row]) => row!.n
        )
        yield* eventually(
          "an act to wait",
          Effect.map(waiting, (n) => n > 0)
        )
        const reads = yield* Effect.all(
          Array.from({ length: 40 }, () => api.get("/v1/orders?limit=1", merchant.sandboxKey)),
          { concurrency: 8 }
        )
        assert.deepStrictEqual(new Set(reads.map(({ status }) => status)), new Set([200]))
        assert.isAtMost(yield* waiting, 1)
        return acts
      }).pipe(owner.withTransaction)
      yield* Fiber.join(acts)
    }).pipe(Effect.scoped)
  )
})
