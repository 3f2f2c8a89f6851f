/**
 * People on two runners, as separate processes: a session that one of them ends is over on the other with the next
 * request.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { consoleBrowser, type ConsoleBrowser, invite, signIn } from "../kit/callers/console.ts"
import { listeners } from "../kit/runners/dropListeners.ts"
import { mailServer } from "../kit/servers/MailServer.ts"
import { keysOf } from "../kit/callers/apiKeys.ts"
import { eventually } from "../kit/Process.ts"
import { twoRunnersWith } from "../kit/runners/TwoRunners.ts"
import { stretched } from "../kit/run/slowness.ts"

const origin = "http://pay.localhost"

const pair = Effect.gen(function* () {
  const mails = yield* mailServer()
  const env = { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", PUBLIC_URL: origin }
  return { mails, ...(yield* twoRunnersWith(env)) }
})
class Pair extends Context.Service<Pair, Effect.Success<typeof pair>>()("test/people") {}

let people = 0

/** A person with a session, as both runners see it. */
const entered = Effect.fnUntraced(function* () {
  const { a, b, mails } = yield* Pair
  const { merchantId } = yield* a.api.newMerchant()
  const email = `person${(people += 1)}@shop.example`
  const { person_id } = yield* invite(a.api, mails, { email, merchant_id: merchantId, role: "owner" })
  const here = yield* signIn(a.api, mails, email, origin)
  const there = consoleBrowser(b.api, origin)
  for (const [name, value] of here.cookies) there.cookies.set(name, value)
  const status = ({ call }: ConsoleBrowser) => Effect.map(call("GET", "/session"), (reply) => reply.status)
  assert.deepStrictEqual([yield* status(here), yield* status(there)], [200, 200])
  return { merchantId, person_id, here, there, status }
})

layer(Layer.effect(Pair, pair), { excludeTestServices: true })("on two runners", (it) => {
  for (const heard of ["with news", "while no news arrives"]) {
    it.effect(`an ended session and a removed person are refused by the next request, ${heard}`, () =>
      Effect.gen(function* () {
        const { a, sql } = yield* Pair
        // Sessions are read with each request, so they need no notifications. Connections with any are cut meanwhile.
        const deafen =
          heard === "with news"
            ? Effect.void
            : Effect.flatMap(listeners(sql), (found) =>
                Effect.forEach(found, ({ pid }) => sql`select pg_terminate_backend(${pid}::int)`, { discard: true })
              )
        const ended = yield* entered()
        yield* deafen
        assert.strictEqual((yield* ended.there.call("POST", "/session/end")).status, 200)
        assert.strictEqual(yield* ended.status(ended.here), 401)

        const removed = yield* entered()
        yield* deafen
        const { merchantId, person_id } = removed
        const gone = yield* a.api.operator("POST", `/people/${person_id}/remove`, { merchant_id: merchantId })
        assert.strictEqual(gone.status, 200, gone.text)
        assert.strictEqual(yield* removed.status(removed.there), 401)
        assert.strictEqual(yield* removed.status(removed.here), 401)
      })
    )
  }

  it.effect("a key that is revoked while a runner's listener is cut is refused there within a reset's bound", () =>
    Effect.gen(function* () {
      const { a, b, sql } = yield* Pair
      for (const [here, there] of [
        [a, b],
        [b, a]
      ] as const) {
        const merchant = yield* here.api.newMerchant()
        const { create, path } = keysOf({ api: here.api, merchant })
        const { key, key_id } = yield* create()
        const statusOn = ({ api }: typeof a) => Effect.map(api.get("/v1/balance", key), ({ status }) => status)
        assert.deepStrictEqual([yield* statusOn(here), yield* statusOn(there)], [200, 200])
        for (const { pid } of yield* listeners(sql)) yield* sql`select pg_terminate_backend(${pid}::int)`
        assert.strictEqual((yield* here.api.operator("POST", `${path}/${key_id}/revoke`)).status, 200)
        assert.strictEqual(yield* statusOn(here), 401)
        const isRefused = Effect.map(statusOn(there), (status) => status === 401)
        yield* eventually("the key to be refused", isRefused, yield* stretched("2 seconds"))
      }
    })
  )
})
