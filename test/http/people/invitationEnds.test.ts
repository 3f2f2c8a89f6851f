/** What ends an offered role, and what a call that waited checks when it is done. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { consoleBrowser, invite, signIn } from "../../kit/callers/console.ts"
import { untilOneWaits } from "../../kit/faults/waitingForLock.ts"
import { begin, origin, statusOf } from "../../kit/callers/inviting.ts"
import { callAs, newOperator } from "../../kit/callers/operators.ts"

/** Where the session or token was read again meanwhile, it is unknown by then. */
const unknown = 401

it.live("an invitation ends with the right of the person who has made it", () =>
  Effect.gen(function* () {
    const { api, askFor, at, inviter, mails, merchantId, person } = yield* begin()
    const other = yield* person("second@shop.example", "owner", merchantId)
    const fromOperator = yield* invite(api, mails, { email: "c@x.example", merchant_id: merchantId, role: "viewer" })
    const ways = [
      { demote: other.call("POST", `${at}/${inviter.person_id}`, { role: "developer" }), email: "a@x.example" },
      { demote: other.call("POST", `${at}/${inviter.person_id}/remove`), email: "b@x.example" }
    ]
    for (const { demote, email } of ways) {
      yield* other.call("POST", `${at}/${inviter.person_id}`, { role: "owner" })
      const { person_id } = yield* askFor(email, { role: "owner" })
      assert.strictEqual(yield* statusOf(demote), 200)
      assert.strictEqual(yield* statusOf(other.call("POST", `${at}/${person_id}/send_again`)), 404, email)
      const before = mails.mails.length
      yield* consoleBrowser(api, origin).call("POST", "/sign_in", { email })
      yield* signIn(api, mails, "second@shop.example", origin)
      assert.strictEqual(mails.mails.length, before + 1, `no link goes to ${email}`)
    }
    // Invitations of others stay.
    assert.strictEqual(yield* statusOf(other.call("POST", `${at}/${fromOperator.person_id}/send_again`)), 200)
  }).pipe(Effect.scoped)
)

it.live("what an operator has offered ends with the operator, the role that may offer it, and the token", () =>
  Effect.gen(function* () {
    const { api, merchantId, person } = yield* begin()
    const post = (path: string, body?: object) => api.operator("POST", path, body)
    const offered = Effect.map(api.operator("GET", "/people?limit=100"), ({ body }) =>
      (body.data.data as ReadonlyArray<any>).filter(({ status }) => status === "invited").map(({ email }) => email)
    )
    const others = yield* person("other@pay.example", "admin")
    const token = yield* newOperator(api, "ci", "admin")
    const ends = {
      remove: (id: string) => post(`/people/${id}/remove`),
      recover: (id: string) =>
        Effect.andThen(post(`/people/${id}/recover`), others.operate("POST", `/people/${id}/recover`)),
      demote: () => post("/people", { email: "demote@pay.example", role: "support" }),
      revoke: () => post(`/operators/${token.operator_id}/revoke`)
    }
    const admins = yield* Effect.forEach(Object.keys(ends), (way) => person(`${way}@pay.example`, "admin"))
    assert.strictEqual(yield* statusOf(others.operate("POST", "/people", { email: "a@x.example", role: "admin" })), 200)
    const kept = yield* offered
    for (const [at, [way, end]] of Object.entries(ends).entries()) {
      const admin = admins[at]!
      const offer = (body: object) =>
        way === "revoke" ? callAs(api, token.token, "POST", "/people", body) : admin.operate("POST", "/people", body)
      const places = [{ role: "admin" }, { role: "owner", merchant_id: merchantId }]
      for (const place of places) {
        const sent = yield* offer({ email: `${way}.${place.role}@x.example`, ...place })
        assert.deepStrictEqual([sent.status, sent.body.data?.status], [200, "invited"], sent.text)
      }
      assert.lengthOf(yield* offered, kept.length + places.length, way)
      assert.strictEqual(yield* statusOf(end(admin.person_id)), 200, way)
      assert.deepStrictEqual(yield* offered, kept, way)
    }
  }).pipe(Effect.scoped)
)

it.live("an operator whose right is taken while an invitation is made has offered nothing", () =>
  Effect.gen(function* () {
    const { api, merchantId, person, sql } = yield* begin()
    const token = yield* newOperator(api, "ci", "admin")
    const { operate, person_id } = yield* person("admin@pay.example", "admin")
    const changed = yield* person("changed@pay.example", "admin")
    const ends = [
      { end: sql`delete from memberships where person_id = ${person_id}`, offer: operate },
      {
        end: sql`update person_sessions set session_id = session_id || 'x' where person_id = ${person_id}`,
        offer: operate
      },
      {
        end: sql`update operators set revoked_at = now() where operator_id = ${token.operator_id}`,
        offer: (method: string, path: string, body?: unknown) => callAs(api, token.token, method, path, body)
      }
    ]
    for (const { end, offer } of ends) {
      // An operator's is another role, which counts at once.
      for (const place of [{ role: "viewer" }, { role: "owner", merchant_id: merchantId }]) {
        const email = "merchant_id" in place ? "late.owner@x.example" : changed.email
        // As if the end had begun before its answer.
        const offering = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* end
            const offered = yield* Effect.forkScoped(offer("POST", "/people", { email, ...place }))
            yield* untilOneWaits(sql)
            return offered
          })
        )
        assert.include([409, unknown], (yield* Fiber.join(offering)).status, email)
        yield* sql`update person_sessions set session_id = rtrim(session_id, 'x') where person_id = ${person_id}`
        yield* sql`insert into memberships (person_id, belongs_to, role, created_at)
          values (${person_id}, 'installation', 'admin', now()) on conflict do nothing`
        yield* sql`update operators set revoked_at = null where operator_id = ${token.operator_id}`
      }
    }
    assert.lengthOf(yield* sql`select from invitations`, 0)
    const [role] = yield* sql<{ readonly role: string }>`select role from memberships
      where person_id = ${changed.person_id}`
    assert.strictEqual(role!.role, "admin")
  }).pipe(Effect.scoped)
)

it.live("a person who is removed while an invitation or a role waits has given nothing", () =>
  Effect.gen(function* () {
    const { askFor, at, inviter, merchantId, mails, api, sql } = yield* begin()
    const other = yield* invite(api, mails, { email: "second@shop.example", merchant_id: merchantId, role: "viewer" })
    yield* signIn(api, mails, "second@shop.example", origin)
    const offered = yield* askFor("third@shop.example")
    // It is an operator's, so it does not end with the inviter.
    yield* sql`update invitations set invited_by = null`
    const kept = Effect.all([sql`select * from invitations`, sql`select * from memberships order by person_id`])
    const before = yield* kept
    const acts = [
      [409, "", { email: "late@x.example", role: "owner" }],
      [404, `/${offered.person_id}/send_again`, undefined],
      [409, `/${offered.person_id}`, { role: "owner" }],
      [409, `/${other.person_id}`, { role: "owner" }]
    ] as const
    for (const [status, path, body] of acts) {
      const removal = Effect.gen(function* () {
        yield* sql`select pg_advisory_xact_lock(hashtext(${`coffer people of ${merchantId}`}))`
        yield* sql`delete from memberships where person_id = ${inviter.person_id}`
        const sent = yield* Effect.forkScoped(inviter.call("POST", `${at}${path}`, body))
        yield* untilOneWaits(sql)
        return sent
      })
      assert.include([status, unknown], (yield* Fiber.join(yield* sql.withTransaction(removal))).status, path)
      yield* sql`insert into memberships (person_id, belongs_to, role, created_at)
        select ${inviter.person_id}, ${merchantId}, 'owner', created_at from people where email = ${inviter.email}`
    }
    const [invited, roles] = yield* kept
    assert.deepStrictEqual(invited, before[0])
    assert.deepStrictEqual(
      roles.map(({ role }) => role),
      before[1].map(({ role }) => role)
    )
  }).pipe(Effect.scoped)
)

it.live("no role at a suspended merchant can be accepted, by signing in or otherwise, until it is resumed", () =>
  Effect.gen(function* () {
    const { api, askFor, mails, merchantId, otherId, person } = yield* begin()
    const ada = yield* person("ada@other.example", "viewer", otherId)
    const { person_id } = yield* askFor(ada.email, { role: "owner" })
    yield* askFor("new@x.example", { role: "owner" })
    yield* api.operator("POST", `/merchants/${merchantId}/suspend`)
    const accept = statusOf(ada.call("POST", `/invitations/${person_id}/accept`))
    assert.strictEqual(yield* accept, 403)
    assert.deepStrictEqual((yield* signIn(api, mails, "new@x.example", origin)).signedIn.person.roles, [])
    yield* api.operator("POST", `/merchants/${merchantId}/resume`)
    assert.strictEqual(yield* accept, 200)
    assert.lengthOf((yield* signIn(api, mails, "new@x.example", origin)).signedIn.person.roles, 1)
  }).pipe(Effect.scoped)
)
