/** A right that ends while something is being made by it: nothing lasting is made (silences: U40). */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { Faults } from "../../../src/platform/runtime/Faults.ts"
import { begin, make } from "../../kit/stories/rights.ts"
import { untilOneWaits } from "../../kit/faults/waitingForLock.ts"

it.live("a person whose right ends while something that lives on is made or changed makes and changes none", () =>
  Effect.gen(function* () {
    const { at, enter, merchantId, sql } = yield* begin()
    const owner = yield* enter("owner")
    const person = yield* enter("developer")
    const { key_id } = (yield* make(owner, at, "sandbox", ["orders:read"])).body.data
    const account = `/accounts/${merchantId}/sandbox`
    const endpoints = `${account}/webhook_endpoints`
    const url = "https://shop.example/hooks"
    const endpoint = `${endpoints}/${(yield* owner.call("POST", endpoints, { url })).body.data.id}`
    const kept = Effect.all([
      sql`select * from api_keys`,
      sql`select * from api_key_secrets`,
      sql`select key_hash, ip_allowlist from merchant_modes`,
      sql`select id, signing, endpoints from webhook_settings order by id`
    ])
    const theirs = "https://evil.example/hooks"
    const id = person.person_id
    const acts = {
      create: ["developer", make(person, at, "sandbox", ["orders:read"])],
      update: ["developer", person.call("POST", `${at}/api_keys/${key_id}`, { ip_allowlist: "192.0.2.1" })],
      roll: ["developer", person.call("POST", `${at}/api_keys/${key_id}/roll`, { overlap_minutes: 0 })],
      reset: ["owner", person.call("POST", `${at}/main_keys/sandbox/reset`)],
      settings: ["owner", person.call("POST", `${at}/settings`, { sandbox: { ip_allowlist: "192.0.2.1" } })],
      endpoint: ["developer", person.call("POST", endpoints, { url: theirs })],
      moved: ["developer", person.call("POST", endpoint, { url: theirs })],
      rotated: ["developer", person.call("POST", `${endpoint}/rotate_secret`)],
      deleted: ["developer", person.call("DELETE", endpoint)],
      signing: ["developer", person.call("POST", `${account}/webhook_signing_secret/rotate`)]
    } as const
    const ends = {
      removed: sql`delete from memberships where person_id = ${id}`,
      demoted: sql`update memberships set role = 'viewer' where person_id = ${id}`,
      "signed out": sql`update person_sessions set session_id = session_id || 'x' where person_id = ${id}`,
      "signed out here": sql`update memberships set sessions_after = now() where person_id = ${id}`
    }
    for (const [act, [role, send]] of Object.entries(acts)) {
      for (const [way, end] of Object.entries(ends)) {
        yield* sql`insert into memberships (person_id, belongs_to, role, created_at)
          select ${id}, belongs_to, ${role}, created_at from memberships where person_id = ${owner.person_id}
          on conflict (belongs_to, person_id) do update set role = excluded.role, sessions_after = null`
        yield* sql`update person_sessions set session_id = rtrim(session_id, 'x') where person_id = ${id}`
        const before = yield* kept
        const ending = Effect.gen(function* () {
          yield* end
          const sent = yield* Effect.forkScoped(send)
          yield* untilOneWaits(sql)
          return sent
        })
        const sent = yield* sql.withTransaction(ending)
        assert.strictEqual((yield* Fiber.join(sent)).status, 403, `${act} of a person who is ${way}`)
        assert.deepStrictEqual(yield* kept, before, `${act} of a person who is ${way}`)
      }
    }
  }).pipe(Effect.scoped)
)

it.live("an endpoint that a person was making is not made once the removal, demotion, reset or sign-out has come", () =>
  Effect.gen(function* () {
    let held: { readonly reached: Deferred.Deferred<void>; readonly gate: Deferred.Deferred<void> } | undefined
    const stop = Effect.suspend(() => {
      const one = held
      held = undefined
      return one === undefined
        ? Effect.void
        : Effect.andThen(Deferred.succeed(one.reached, undefined), Deferred.await(one.gate))
    })
    const faults = Layer.succeed(Faults, {
      around: (at, effect, detail) =>
        at === "Transactor.write" && detail?.().includes("webhook_settings") === true
          ? Effect.andThen(stop, effect)
          : effect
    })
    const { at, enter, merchantId, sql } = yield* begin({}, "real", faults)
    const owner = yield* enter("owner")
    const ends = {
      removed: (id: string) => owner.call("POST", `${at}/people/${id}/remove`),
      demoted: (id: string) => owner.call("POST", `${at}/people/${id}`, { role: "viewer" }),
      reset: (id: string) => owner.call("POST", `${at}/people/${id}/recover`),
      "signed out": (id: string) => owner.call("POST", `${at}/people/${id}/end_sessions`)
    }
    const person = yield* enter("developer")
    const id = person.person_id
    const [session] = yield* sql<{ readonly row: string }>`select to_jsonb(s)::text as row from person_sessions s
      where person_id = ${id}`
    for (const [way, end] of Object.entries(ends)) {
      yield* sql`insert into memberships (person_id, belongs_to, role, created_at)
        select ${id}, belongs_to, 'developer', created_at from memberships where person_id = ${owner.person_id}
        on conflict (belongs_to, person_id) do update set role = excluded.role, sessions_after = null`
      yield* sql`insert into person_sessions
        select (jsonb_populate_record(null::person_sessions, ${session!.row}::text::jsonb)).* on conflict do nothing`
      // The facts of the decision were read, and the person was checked.
      const now = { reached: yield* Deferred.make<void>(), gate: yield* Deferred.make<void>() }
      held = now
      const path = `/accounts/${merchantId}/sandbox/webhook_endpoints`
      const making = yield* Effect.forkScoped(person.call("POST", path, { url: "https://evil.example/hooks" }))
      yield* Deferred.await(now.reached)
      assert.strictEqual((yield* end(id)).status, 200, way)
      yield* Deferred.succeed(now.gate, undefined)
      assert.strictEqual((yield* Fiber.join(making)).status, 403, way)
      assert.lengthOf(yield* sql`select from webhook_settings where endpoints <> '[]'`, 0, way)
    }
  }).pipe(Effect.scoped)
)

it.live("settings that an operator changes are not written once its token is revoked", () =>
  Effect.gen(function* () {
    const { api, merchantId, sql } = yield* begin()
    const made = (yield* api.operator("POST", "/operators", { name: "Ada", role: "admin" })).body.data
    const before = yield* sql`select ip_allowlist from merchant_modes`
    const ending = Effect.gen(function* () {
      yield* sql`update operators set revoked_at = now() where operator_id = ${made.operator_id}`
      const sent = yield* Effect.forkScoped(
        api.call("POST", `/operator/v1/merchants/${merchantId}`, {
          headers: { Authorization: `Bearer ${made.token}` },
          body: { sandbox: { ip_allowlist: "192.0.2.1" } }
        })
      )
      yield* untilOneWaits(sql)
      return sent
    })
    const sent = yield* sql.withTransaction(ending)
    const { status, text } = yield* Fiber.join(sent)
    assert.strictEqual(status, 403, text)
    assert.deepStrictEqual(yield* sql`select ip_allowlist from merchant_modes`, before)
  }).pipe(Effect.scoped)
)

it.live("access is not reset by a merchant whose person is given a role elsewhere at that moment", () =>
  Effect.gen(function* () {
    const { api, at, enter, sql } = yield* begin()
    const owner = yield* enter("owner")
    const { person_id } = yield* enter("viewer")
    const other = yield* api.newMerchant("Another")
    const sessions = sql`select session_id from person_sessions where person_id = ${person_id}`
    const before = yield* sessions
    const giving = Effect.gen(function* () {
      yield* sql`insert into memberships (person_id, belongs_to, role, created_at)
        values (${person_id}, ${other.merchantId}, 'viewer', now())`
      const sent = yield* Effect.forkScoped(owner.call("POST", `${at}/people/${person_id}/recover`))
      yield* untilOneWaits(sql)
      return sent
    })
    const { status, text } = yield* Fiber.join(yield* sql.withTransaction(giving))
    assert.strictEqual(status, 409, text)
    assert.isNotEmpty(before)
    assert.deepStrictEqual(yield* sessions, before)
  }).pipe(Effect.scoped)
)
