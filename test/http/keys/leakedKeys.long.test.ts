/** `POST /leaked_keys`: what a report does, its answer, and who is notified (docs/security.md; silences: U29). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keysOf } from "../../kit/callers/apiKeys.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { entriesOf } from "../../kit/callers/operators.ts"
import { eventually } from "../../kit/Process.ts"
import { type Running, start } from "../../kit/Service.ts"

const scene = Effect.gen(function* () {
  const smtp = yield* mailServer()
  const running = yield* start({ clock: "test", env: { SMTP_URL: smtp.url } })
  const { api, merchant } = running
  yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { contact_email: "developers@shop.example" })
  return { running, smtp, api, merchant, keys: keysOf(running), report: reporting(running) }
})

const reporting =
  ({ api }: Running) =>
  (key: unknown) =>
    api.post("/leaked_keys", undefined, { key })

const mailed = (smtp: { readonly mails: ReadonlyArray<string> }, count: number) =>
  eventually(
    "the mail",
    Effect.sync(() => smtp.mails.length >= count)
  )

const statusOf = ({ api }: Running, key: string) => Effect.map(api.get("/v1/balance", key), ({ status }) => status)

describe("a report of a leaked key", () => {
  it.live("revokes a key with scopes at once, and tells the merchant by a mail that does not hold the key", () =>
    Effect.gen(function* () {
      const { api, keys, merchant, report, running, smtp } = yield* scene
      const { key, key_id } = yield* keys.create({ name: "Accounting" })
      assert.strictEqual(yield* statusOf(running, key), 200)
      assert.strictEqual((yield* report(key)).status, 202)
      assert.strictEqual(yield* statusOf(running, key), 401)
      assert.strictEqual((yield* api.operator("GET", `${keys.path}/${key_id}`)).body.data.status, "revoked")
      yield* mailed(smtp, 1)
      assert.include(smtp.mails[0], "developers@shop.example")
      assert.include(smtp.mails[0], key_id)
      assert.notInclude(smtp.mails[0], key)
      const entries = yield* entriesOf(api, `&act=leaked_keys.report&target=${merchant.merchantId}`)
      assert.deepStrictEqual(
        entries.map(({ phase, target }) => [phase, target]),
        [
          ["done", `merchants/${merchant.merchantId}/api_keys/${key_id}`],
          ["begun", `merchants/${merchant.merchantId}/api_keys/${key_id}`]
        ]
      )
      assert.notInclude(JSON.stringify(entries), key)
    })
  )

  it.live("of a main key only tells the merchant, once a day however often it is reported", () =>
    Effect.gen(function* () {
      const { merchant, report, running, smtp } = yield* scene
      const key = merchant.sandboxKey
      yield* report(key)
      yield* mailed(smtp, 1)
      assert.include(smtp.mails[0], "still works")
      assert.notInclude(smtp.mails[0], key)
      assert.strictEqual(yield* statusOf(running, key), 200)
      yield* report(key)
      yield* running.leap("25 hours")
      assert.strictEqual(smtp.mails.length, 1)
      yield* report(key)
      yield* mailed(smtp, 2)
      assert.strictEqual(yield* statusOf(running, key), 200)
    })
  )

  it.live("of an old secret that overlaps ends that secret, and leaves the key its new one", () =>
    Effect.gen(function* () {
      const { api, keys, report, running } = yield* scene
      const { key, key_id } = yield* keys.create()
      const rolled = yield* api.operator("POST", `${keys.path}/${key_id}/roll`, { overlap_minutes: 60 })
      assert.strictEqual(yield* statusOf(running, key), 200)
      yield* report(key)
      assert.strictEqual(yield* statusOf(running, key), 401)
      assert.strictEqual(yield* statusOf(running, rolled.body.data.key), 200)
    })
  )

  it.live("answers the same for a key that works, one that has ended, a guess and what is no key", () =>
    Effect.gen(function* () {
      const { keys, merchant, report } = yield* scene
      const { key } = yield* keys.create()
      const texts = [key, key, merchant.liveKey, `svc_test_${"x".repeat(49)}`, `svc_live_\u0000`, "nothing", ""]
      const answers = yield* Effect.forEach(texts, report)
      for (const { body, headers, status } of answers) {
        assert.strictEqual(status, 202)
        const { request_id, ...rest } = body
        assert.match(request_id, /^req_/)
        assert.deepStrictEqual(rest, {
          code: 202,
          message: "accepted",
          data: { object: "leak_report", status: "received" }
        })
        assert.strictEqual(headers.get("cache-control"), "no-store")
      }
    })
  )

  it.live("is refused without a text, and when one address sends too many", () =>
    Effect.gen(function* () {
      const { api, report } = yield* scene
      for (const body of [{}, { key: 1 }, []]) {
        const { body: answer, status } = yield* api.post("/leaked_keys", undefined, body)
        assert.deepStrictEqual([status, answer.error, answer.param], [400, "invalid_request", "key"])
      }
      assert.strictEqual((yield* report("x".repeat(5_000))).status, 400)
      const statuses = yield* Effect.replicateEffect(
        Effect.map(report("svc_test_guess"), ({ status }) => status),
        30,
        { concurrency: 10 }
      )
      assert.include(statuses, 429)
      const last = yield* report("svc_test_guess")
      assert.deepStrictEqual([last.status, last.body.error], [429, "rate_limited"])
      assert.isNotNull(last.headers.get("retry-after"))
    })
  )

  it.live("of a merchant that cannot be notified still revokes the key", () =>
    Effect.gen(function* () {
      const { api, keys, merchant, report, running, smtp } = yield* scene
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { contact_email: null })
      const { key } = yield* keys.create()
      yield* report(key)
      assert.strictEqual(yield* statusOf(running, key), 401)
      yield* running.leap("1 hour")
      const [row] = yield* running.sql<{ status: string }>`select status from key_leaks`
      assert.strictEqual(row!.status, "kept")
      assert.strictEqual(smtp.mails.length, 0)
    })
  )

  it.live("is mailed later where the mail server is away", () =>
    Effect.gen(function* () {
      const { keys, report, running, smtp } = yield* scene
      smtp.behave({ refuse: 451 })
      const { key } = yield* keys.create()
      yield* report(key)
      yield* eventually(
        "the mail to be refused",
        Effect.sync(() => smtp.lines.includes("DATA"))
      )
      smtp.behave("take")
      // The refused attempt may still be under way when the clock moves, so it moves until the mail has come.
      yield* eventually(
        "the mail",
        Effect.map(running.leap("10 minutes"), () => smtp.mails.length > 0)
      )
      yield* running.leap("1 hour")
      assert.strictEqual(smtp.mails.length, 1)
    })
  )
})
