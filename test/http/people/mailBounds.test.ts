/**
 * Mails about people: whose requests count, how many go out in a day, what stands in them, and what a refusal delays.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { consoleBrowser, invite, linkIn, signIn } from "../../kit/callers/console.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { start } from "../../kit/Service.ts"

const begin = Effect.fnUntraced(function* (options: Parameters<typeof start>[0] = {}) {
  const mails = yield* mailServer()
  const env = { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", TRUSTED_PROXIES: "127.0.0.1" }
  const running = yield* start({ ...options, env: { ...env, ...options.env } })
  const { api, merchant } = running
  yield* invite(api, mails, { email: "ada@shop.example", merchant_id: merchant.merchantId, role: "owner" })
  return { ...running, mails, at: `/merchants/${merchant.merchantId}/people` }
})

const from = (address: string) => ({ "X-Forwarded-For": address })
const idOf = (mail: string) => /^Message-ID:\s*(<[^>]+>)/im.exec(mail)?.[1]

it.live("strangers keep nobody out: a browser in which the person has signed in gets its own links", () =>
  Effect.gen(function* () {
    const { api, mails } = yield* begin({ clock: "test" })
    const email = "ada@shop.example"
    const known = yield* signIn(api, mails, email)
    let sent = mails.mails.length
    // Ten of each address, and thirty in all.
    for (const network of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) {
      for (let number = 0; number < 10; number++) {
        yield* consoleBrowser(api).call("POST", "/sign_in", { email }, from(network))
        yield* mails.mail(++sent)
      }
    }
    const late = yield* consoleBrowser(api).call("POST", "/sign_in", { email }, from("192.0.2.4"))
    assert.strictEqual(late.status, 202)
    yield* known.call("POST", "/sign_in", { email }, from("192.0.2.1"))
    const token = linkIn(yield* mails.mail(sent + 1))
    assert.strictEqual((yield* known.call("POST", "/sign_in/use", { token })).status, 201)
    assert.strictEqual(mails.mails.length, sent + 1)
  }).pipe(Effect.scoped)
)

it.live("a merchant's people send three invitations to one address in a day, and no typed word goes with them", () =>
  Effect.gen(function* () {
    const { api, at, mails } = yield* begin()
    const { call } = yield* signIn(api, mails, "ada@shop.example")
    const typed = { email: "stranger@elsewhere.example", name: "locked: open http://evil.example", role: "viewer" }
    const before = mails.mails.length
    const ids = new Set<string | undefined>()
    for (let number = 1; number <= 3; number++) {
      const invited = yield* call("POST", at, typed)
      assert.strictEqual(invited.status, 201, invited.text)
      const mail = yield* mails.mail(before + number)
      ids.add(idOf(mail))
      assert.notInclude(mail, "evil")
      assert.include(mail, "ada@shop.example")
      assert.strictEqual((yield* call("POST", `${at}/${invited.body.data.person_id}/remove`)).status, 200)
    }
    assert.strictEqual(ids.size, 3, "each mail has a Message-ID of its own")
    const refused = yield* call("POST", at, typed)
    assert.deepStrictEqual([refused.status, refused.body.error], [429, "rate_limited"])
    assert.isNotNull((refused.headers as Headers).get("retry-after"))
    assert.notInclude((yield* call("GET", at)).text, "stranger@")
    assert.strictEqual((yield* call("POST", at, { ...typed, email: "other@elsewhere.example" })).status, 201)
  }).pipe(Effect.scoped)
)

it.live("a mail that the server does not take now is the same mail when it is tried again", () =>
  Effect.gen(function* () {
    const { api, leap, mails, merchant } = yield* begin({ clock: "test" })
    mails.behave({ refuse: 451 })
    const before = mails.mails.length
    const person = { email: "late@shop.example", merchant_id: merchant.merchantId, role: "viewer" }
    assert.strictEqual((yield* api.operator("POST", "/people", person)).status, 200)
    const refused = Effect.suspend(() => Effect.succeed(mails.lines.filter((line) => /^Message-ID:/i.test(line))))
    yield* Effect.repeat(Effect.andThen(Effect.yieldNow, refused), { until: (ids) => ids.length > before })
    mails.behave("take")
    yield* leap("1 minute")
    const mail = yield* mails.mail(before + 1)
    assert.include(mail, "late@shop.example")
    assert.include((yield* refused).at(-2)!, idOf(mail)!)
  }).pipe(Effect.scoped)
)
