/** Resetting the access of a person who cannot sign in: by another owner, or by operators. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { authenticator } from "../../kit/callers/authenticator.ts"
import { consoleBrowser, enterBy, invite, linkIn, register, signIn } from "../../kit/callers/console.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { callAs, entriesOf, newOperator } from "../../kit/callers/operators.ts"
import { start } from "../../kit/Service.ts"

const origin = "https://pay.example"

const begin = Effect.fnUntraced(function* (options: Parameters<typeof start>[0] = {}) {
  const mails = yield* mailServer()
  const running = yield* start({
    ...options,
    env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", PUBLIC_URL: origin, ...options.env }
  })
  const { merchantId } = running.merchant
  const { api } = running
  const add = (email: string, role: string) => invite(api, mails, { email, merchant_id: merchantId, role })
  const owner = yield* add("owner@shop.example", "owner")
  const session = yield* signIn(api, mails, "owner@shop.example", origin)
  return { ...running, mails, merchantId, add, owner, session, browser: () => consoleBrowser(api, origin) }
})

it.live(
  "an owner resets another person's access: passkeys and sessions end, and one link comes, which works once",
  () =>
    Effect.gen(function* () {
      const { add, api, browser, mails, merchantId, session } = yield* begin()
      const { person_id } = yield* add("dev@shop.example", "developer")
      const lost = yield* signIn(api, mails, "dev@shop.example", origin)
      const key = authenticator(origin)
      const before = mails.mails.length
      assert.strictEqual((yield* register(lost, key)).status, 201)
      yield* mails.mail(before + 1)
      const at = `/merchants/${merchantId}/people/${person_id}/recover`
      const recovered = yield* session.call("POST", at)
      assert.strictEqual(recovered.status, 200, recovered.text)
      assert.strictEqual((yield* lost.call("GET", "/session")).status, 401)
      assert.strictEqual((yield* enterBy(browser(), key)).entered.status, 400)
      const token = linkIn(yield* mails.mail(before + 2))
      const [one, other] = [browser(), browser()]
      const uses = [one, other].map(({ call }) => call("POST", "/sign_in/use", { token }))
      const statuses = (yield* Effect.all(uses, { concurrency: "unbounded" })).map(({ status }) => status)
      assert.deepStrictEqual(statuses.toSorted(), [201, 400])
      const entries = yield* entriesOf(api, "&act=console:people.recover")
      assert.deepStrictEqual(
        entries.map(({ actor, phase }) => [actor, phase]),
        [
          ["owner@shop.example", "done"],
          ["owner@shop.example", "begun"]
        ]
      )
    }).pipe(Effect.scoped)
)

it.live("the invitations of a person whose access is reset end, and those of others stay", () =>
  Effect.gen(function* () {
    const { add, api, mails, merchantId, session } = yield* begin()
    const { person_id } = yield* add("second@shop.example", "owner")
    const lost = yield* signIn(api, mails, "second@shop.example", origin)
    const at = `/merchants/${merchantId}/people`
    yield* lost.call("POST", at, { email: "accomplice@x.example", role: "owner" })
    yield* session.call("POST", at, { email: "colleague@shop.example", role: "viewer" })
    assert.strictEqual((yield* session.call("POST", `${at}/${person_id}/recover`)).status, 200)
    const listed = (yield* session.call("GET", at)).body.data.data as ReadonlyArray<any>
    assert.deepStrictEqual(
      listed.filter(({ status }) => status === "invited").map(({ email }) => email),
      ["colleague@shop.example"]
    )
  }).pipe(Effect.scoped)
)

it.live(
  "an owner cannot reset their own access or that of a person with a role elsewhere, and needs a fresh session",
  () =>
    Effect.gen(function* () {
      const { add, api, leap, mails, merchantId, owner, session } = yield* begin({ clock: "test" })
      const recover = (id: string) =>
        Effect.map(session.call("POST", `/merchants/${merchantId}/people/${id}/recover`), ({ status }) => status)
      assert.strictEqual(yield* recover(owner.person_id), 409)
      const { person_id } = yield* add("both@shop.example", "developer")
      assert.strictEqual(yield* recover(person_id), 404, "not accepted yet")
      const both = yield* signIn(api, mails, "both@shop.example", origin)
      const offered = yield* invite(api, mails, { email: "both@shop.example", role: "viewer" })
      assert.strictEqual((yield* both.call("POST", `/invitations/${offered.person_id}/accept`)).status, 200)
      assert.strictEqual(yield* recover(person_id), 409)
      assert.strictEqual(yield* recover(`per_${"0".repeat(26)}`), 404)
      const plain = yield* add("plain@shop.example", "viewer")
      yield* signIn(api, mails, "plain@shop.example", origin)
      yield* leap("16 minutes")
      assert.strictEqual(yield* recover(plain.person_id), 403)
    }).pipe(Effect.scoped)
)

it.live("it takes two operators for a merchant's last owner and for an operator, and one for others", () =>
  Effect.gen(function* () {
    const { add, api, browser, leap, mails, owner, session } = yield* begin({ clock: "test" })
    const other = yield* newOperator(api, "Root", "admin")
    const path = `/people/${owner.person_id}/recover`
    assert.strictEqual((yield* api.operator("POST", path)).status, 202)
    assert.strictEqual((yield* api.operator("POST", path)).status, 202, "one alone, twice")
    assert.strictEqual((yield* session.call("GET", "/session")).status, 200)
    const before = mails.mails.length
    assert.strictEqual((yield* callAs(api, other.token, "POST", path)).status, 200)
    assert.strictEqual((yield* session.call("GET", "/session")).status, 401)
    const token = linkIn(yield* mails.mail(before + 1))
    yield* leap("15 minutes")
    assert.strictEqual((yield* browser().call("POST", "/sign_in/use", { token })).status, 400, "too late")
    const operator = yield* invite(api, mails, { email: "op@pay.example", role: "viewer" })
    assert.strictEqual((yield* api.operator("POST", `/people/${operator.person_id}/recover`)).status, 404)
    yield* signIn(api, mails, "op@pay.example", origin)
    assert.strictEqual((yield* api.operator("POST", `/people/${operator.person_id}/recover`)).status, 202)
    const developer = yield* add("dev@shop.example", "developer")
    yield* signIn(api, mails, "dev@shop.example", origin)
    const sent = mails.mails.length
    assert.strictEqual((yield* api.operator("POST", `/people/${developer.person_id}/recover`)).status, 200)
    yield* mails.mail(sent + 1)
    const second = yield* add("second@shop.example", "owner")
    yield* signIn(api, mails, "second@shop.example", origin)
    assert.strictEqual((yield* api.operator("POST", `/people/${second.person_id}/recover`)).status, 200)
    assert.strictEqual((yield* api.operator("POST", `/people/per_${"0".repeat(26)}/recover`)).status, 404)
  }).pipe(Effect.scoped)
)

it.live("the eleventh recovery of a person in a day is refused before anything is taken", () =>
  Effect.gen(function* () {
    const mails = yield* mailServer()
    const env = { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" }
    const { api, merchant } = yield* start({ clock: "test", env })
    const person = { email: "grace@shop.example", merchant_id: merchant.merchantId, role: "viewer" }
    const { person_id } = yield* invite(api, mails, person)
    yield* signIn(api, mails, person.email)
    const recover = api.operator("POST", `/people/${person_id}/recover`)
    for (let number = 1; number <= 10; number++) {
      const before = mails.mails.length
      assert.strictEqual((yield* recover).status, 200)
      yield* mails.mail(before + 1)
    }
    const session = yield* signIn(api, mails, person.email)
    const refused = yield* recover
    assert.deepStrictEqual([refused.status, refused.body.error], [429, "rate_limited"])
    assert.isNotNull((refused.headers as Headers).get("retry-after"))
    assert.strictEqual((yield* session.call("GET", "/session")).status, 200)
  }).pipe(Effect.scoped)
)
