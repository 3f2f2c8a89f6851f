/** An offered role: what the inviting person sees and may do before it is accepted, and who accepts it. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { authenticator } from "../../kit/callers/authenticator.ts"
import { consoleBrowser, invite, register, signIn } from "../../kit/callers/console.ts"
import { begin, origin, statusOf } from "../../kit/callers/inviting.ts"
import { entriesOf } from "../../kit/callers/operators.ts"

it.live("until it is accepted, an invitation shows nothing of a person and gives no hold on one", () =>
  Effect.gen(function* () {
    const { api, askFor, at, inviter, mails, otherId, person } = yield* begin()
    const victims = [yield* person("op@pay.example", "admin"), yield* person("owner@other.example", "owner", otherId)]
    for (const { call, email, person_id } of victims) {
      const invited = yield* askFor(email)
      const { created_at: _, mail: __, person_id: number, roles, ...shown } = invited
      assert.deepStrictEqual(shown, { object: "person", email, name: email, status: "invited", last_seen_at: null })
      assert.strictEqual(roles.length, 1)
      assert.notStrictEqual(number, person_id)
      const listed = (yield* inviter.call("GET", at)).body.data.data as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(
        listed.find(({ email: each }) => each === email),
        { person_id: number, last_seen_at: null, status: "invited" }
      )
      for (const id of [number, person_id]) {
        for (const act of ["end_sessions", "recover"]) {
          assert.strictEqual(yield* statusOf(inviter.call("POST", `${at}/${id}/${act}`)), 404, `${act} of ${email}`)
        }
      }
      for (const act of ["", "/remove"]) {
        const tried = yield* inviter.call(
          "POST",
          `${at}/${person_id}${act}`,
          act === "" ? { role: "owner" } : undefined
        )
        assert.strictEqual(tried.status, 404, act)
      }
      // An operator sees both, and touches no person by the invitation.
      assert.strictEqual(yield* statusOf(api.operator("POST", `/people/${number}/end_sessions`)), 404)
      assert.strictEqual(yield* statusOf(call("GET", "/session")), 200, email)
      const again = yield* signIn(api, mails, email, origin)
      const places = again.signedIn.person.roles.map((each: { merchant_id: string | null }) => each.merchant_id)
      assert.deepStrictEqual(places, [email === "op@pay.example" ? null : otherId], "signing in accepts nothing")
    }
  }).pipe(Effect.scoped)
)

it.live("the person accepts or declines it, once, and only the person whose address it is", () =>
  Effect.gen(function* () {
    const { askFor, at, inviter, merchantId, otherId, person } = yield* begin()
    const ada = yield* person("ada@other.example", "owner", otherId)
    const eve = yield* person("eve@other.example", "viewer", otherId)
    const { person_id: id } = yield* askFor("Ada@Other.example", { role: "support" })
    const [offered] = (yield* ada.call("GET", "/invitations")).body.data.data
    const { created_at: _, expires_at: __, ...shown } = offered
    assert.deepStrictEqual(shown, {
      object: "invitation",
      invitation_id: id,
      merchant_id: merchantId,
      merchant_name: "Test merchant",
      role: "support",
      invited_by: inviter.email
    })
    assert.lengthOf((yield* eve.call("GET", "/invitations")).body.data.data, 0)
    for (const act of ["accept", "decline"]) {
      assert.strictEqual(yield* statusOf(eve.call("POST", `/invitations/${id}/${act}`)), 404)
    }
    const both = yield* Effect.all(
      [1, 2].map(() => statusOf(ada.call("POST", `/invitations/${id}/accept`))),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(both.toSorted(), [200, 404])
    const roles = (yield* ada.call("GET", "/session")).body.data.person.roles
    assert.includeDeepMembers(
      roles.map(({ merchant_id, role }: { merchant_id: string; role: string }) => [merchant_id, role]),
      [
        [merchantId, "support"],
        [otherId, "owner"]
      ]
    )
    const listed = (yield* inviter.call("GET", at)).body.data.data as ReadonlyArray<Record<string, unknown>>
    assert.deepInclude(
      listed.find(({ email }) => email === "ada@other.example"),
      { person_id: ada.person_id, status: "active" }
    )
    const declined = yield* askFor("eve@other.example")
    assert.strictEqual(yield* statusOf(eve.call("POST", `/invitations/${declined.person_id}/decline`)), 200)
    assert.strictEqual(yield* statusOf(eve.call("POST", `/invitations/${declined.person_id}/accept`)), 404)
    assert.notInclude((yield* inviter.call("GET", at)).text, "eve@")
  }).pipe(Effect.scoped)
)

it.live(
  "a person without a role accepts the only invitation by signing in, and of several the ones that it chooses",
  () =>
    Effect.gen(function* () {
      const { api, askFor, at, inviter, mails, merchantId, otherId } = yield* begin()
      const { person_id } = yield* askFor("new@shop.example", { name: "New" })
      const one = yield* signIn(api, mails, "new@shop.example", origin)
      assert.deepInclude(one.signedIn.person, { person_id, name: "New" })
      assert.strictEqual(yield* statusOf(one.call("GET", at)), 200)
      const [entry] = yield* entriesOf(api, "&act=console:sign_in.use")
      assert.deepStrictEqual(entry!["details"], { accepted: merchantId })

      yield* askFor("two@shop.example")
      yield* invite(api, mails, { email: "two@shop.example", merchant_id: otherId, role: "finance" })
      const two = yield* signIn(api, mails, "two@shop.example", origin)
      assert.deepStrictEqual(two.signedIn.person.roles, [])
      assert.strictEqual(yield* statusOf(two.call("GET", at)), 404)
      const offered = (yield* two.call("GET", "/invitations")).body.data.data as ReadonlyArray<Record<string, unknown>>
      assert.sameMembers(
        offered.map(({ merchant_id }) => merchant_id),
        [merchantId, otherId]
      )
      const wanted = offered.find(({ merchant_id }) => merchant_id === otherId)!
      assert.strictEqual(
        yield* statusOf(two.call("POST", `/invitations/${String(wanted["invitation_id"])}/accept`)),
        200
      )
      assert.strictEqual(yield* statusOf(two.call("GET", `/merchants/${otherId}/people`)), 200)
      assert.strictEqual(yield* statusOf(two.call("GET", at)), 404)
      // Nothing is left to sign in for.
      const gone = yield* askFor("three@shop.example")
      assert.strictEqual(yield* statusOf(inviter.call("POST", `${at}/${gone.person_id}/remove`)), 200)
      const before = mails.mails.length
      yield* consoleBrowser(api, origin).call("POST", "/sign_in", { email: "three@shop.example" })
      yield* askFor("four@shop.example")
      assert.strictEqual(mails.mails.length, before + 1)
    }).pipe(Effect.scoped)
)

it.live("where an owner ends the sessions of a person who has more, they end for that merchant alone", () =>
  Effect.gen(function* () {
    const { api, at, askFor, inviter, mails, otherId, person } = yield* begin()
    const ada = yield* person("ada@other.example", "owner", otherId)
    const { person_id: id } = yield* askFor("ada@other.example")
    assert.strictEqual(yield* statusOf(ada.call("POST", `/invitations/${id}/accept`)), 200)
    assert.strictEqual(yield* statusOf(ada.call("GET", at)), 200)
    assert.strictEqual(yield* statusOf(inviter.call("POST", `${at}/${ada.person_id}/end_sessions`)), 200)
    assert.strictEqual(yield* statusOf(ada.call("GET", at)), 404)
    assert.strictEqual(yield* statusOf(ada.call("GET", `/merchants/${otherId}/people`)), 200)
    const again = yield* signIn(api, mails, "ada@other.example", origin)
    assert.strictEqual(yield* statusOf(again.call("GET", at)), 200)
    // A person whose only role is there is signed out.
    const plain = yield* askFor("plain@shop.example")
    const session = yield* signIn(api, mails, "plain@shop.example", origin)
    assert.strictEqual(yield* statusOf(inviter.call("POST", `${at}/${plain.person_id}/end_sessions`)), 200)
    assert.strictEqual(yield* statusOf(session.call("GET", "/session")), 401)
  }).pipe(Effect.scoped)
)

it.live("an invitation to a live merchant demands no passkey of a person who has not accepted it", () =>
  Effect.gen(function* () {
    const { api, askFor, at, inviter, merchantId, otherId, person } = yield* begin({ env: { DEMAND_PASSKEYS: "live" } })
    const ada = yield* person("ada@other.example", "owner", otherId)
    const own = `/merchants/${otherId}/people`
    yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true })
    assert.strictEqual((yield* register(inviter, authenticator(origin))).status, 201)
    const { person_id: id } = yield* askFor("ada@other.example")
    assert.strictEqual(yield* statusOf(ada.call("GET", own)), 200)
    assert.strictEqual(yield* statusOf(ada.call("POST", `/invitations/${id}/accept`)), 200)
    assert.strictEqual(yield* statusOf(ada.call("GET", own)), 403)
    assert.strictEqual(yield* statusOf(ada.call("GET", at)), 403)
  }).pipe(Effect.scoped)
)

it.live("operators list who is invited beside the people, withdraw it, and see neither number mixed up", () =>
  Effect.gen(function* () {
    const { api, askFor, merchantId } = yield* begin()
    const { person_id: id } = yield* askFor("new@shop.example", { name: "Somebody" })
    const list = (query: string) =>
      Effect.map(api.operator("GET", `/people?${query}`), ({ body, text }) => {
        assert.isDefined(body.data, text)
        return (body.data.data as ReadonlyArray<Record<string, unknown>>).map(({ email, status }) => [email, status])
      })
    assert.deepStrictEqual(yield* list(`merchant_id=${merchantId}`), [
      ["new@shop.example", "invited"],
      ["inviter@evil.example", "active"]
    ])
    assert.deepStrictEqual(yield* list(`merchant_id=${merchantId}&role=owner`), [["inviter@evil.example", "active"]])
    assert.deepStrictEqual(yield* list("search=SOMEBODY&role=viewer"), [["new@shop.example", "invited"]])
    assert.strictEqual(yield* statusOf(api.operator("POST", `/people/${id}/remove`)), 404)
    assert.strictEqual(yield* statusOf(api.operator("POST", `/people/${id}/remove`, { merchant_id: merchantId })), 200)
    assert.deepStrictEqual(yield* list("search=somebody"), [])
  }).pipe(Effect.scoped)
)

it.effect("an invitation is open for thirty days, and as long again when it is sent again", () =>
  Effect.gen(function* () {
    const { api, at, leap, mails, merchantId, person } = yield* begin({ clock: "test" })
    const owner = () => signIn(api, mails, "inviter@evil.example", origin)
    yield* invite(api, mails, { email: "late@shop.example", merchant_id: merchantId, role: "viewer" })
    yield* leap("29 days")
    const { call } = yield* owner()
    const [invited] = (
      (yield* call("GET", at)).body.data.data as ReadonlyArray<{ person_id: string; email: string }>
    ).filter(({ email }) => email === "late@shop.example")
    const before = mails.mails.length
    assert.strictEqual(yield* statusOf(call("POST", `${at}/${invited!.person_id}/send_again`)), 200)
    yield* mails.mail(before + 1)
    yield* leap("29 days")
    assert.include((yield* (yield* owner()).call("GET", at)).text, "late@")
    yield* leap("1 day")
    const later = yield* owner()
    assert.notInclude((yield* later.call("GET", at)).text, "late@")
    assert.strictEqual(yield* statusOf(later.call("POST", `${at}/${invited!.person_id}/send_again`)), 404)
    void person
  }).pipe(Effect.scoped)
)

it.live("an invitation is sent again by a session that may give the role now", () =>
  Effect.gen(function* () {
    const { askFor, at, inviter, leap } = yield* begin({ clock: "test" })
    const { person_id } = yield* askFor("late@x.example", { role: "owner" })
    const again = inviter.call("POST", `${at}/${person_id}/send_again`)
    assert.strictEqual(yield* statusOf(again), 200)
    yield* leap("16 minutes")
    assert.strictEqual(yield* statusOf(again), 403)
  }).pipe(Effect.scoped)
)

it.live("who has asked for a link and has accepted nothing is listed as invited", () =>
  Effect.gen(function* () {
    const { api, merchantId, mails, otherId } = yield* begin()
    const email = "asks@x.example"
    yield* invite(api, mails, { email, merchant_id: merchantId, role: "viewer" })
    yield* invite(api, mails, { email, merchant_id: otherId, role: "support" })
    const before = mails.mails.length
    yield* consoleBrowser(api, origin).call("POST", "/sign_in", { email })
    yield* mails.mail(before + 1)
    const listed = (yield* api.operator("GET", `/people?search=${email}`)).body.data.data as ReadonlyArray<any>
    assert.deepStrictEqual(
      listed.map(({ roles, status }) => [status, roles.map(({ role }: { readonly role: string }) => role)]),
      [
        ["invited", ["support"]],
        ["invited", ["viewer"]]
      ]
    )
  }).pipe(Effect.scoped)
)

it.live("a merchant does not see when its person was last at work, where that may have been for others", () =>
  Effect.gen(function* () {
    const { api, at, inviter, mails, merchantId, otherId, person } = yield* begin()
    const worker = yield* person("worker@x.example", "viewer", merchantId)
    const seen = Effect.map(inviter.call("GET", at), ({ body }) =>
      (body.data.data as ReadonlyArray<any>).find(({ person_id }) => person_id === worker.person_id)
    )
    const sees = () => Effect.map(seen, ({ last_seen_at, status }) => [status, last_seen_at === null])
    // Signed in a moment ago.
    const before = yield* sees()
    assert.deepStrictEqual(before, ["active", false])
    yield* invite(api, mails, { email: worker.email, merchant_id: otherId, role: "viewer" })
    const [offered] = (yield* worker.call("GET", "/invitations")).body.data.data
    assert.deepStrictEqual(yield* sees(), before)
    assert.strictEqual(yield* statusOf(worker.call("POST", `/invitations/${offered.invitation_id}/accept`)), 200)
    assert.deepStrictEqual(yield* sees(), ["active", true])
    const [operators] = (yield* api.operator("GET", `/people?search=${worker.email}`)).body.data.data
    assert.strictEqual(operators.person_id, worker.person_id)
  }).pipe(Effect.scoped)
)
