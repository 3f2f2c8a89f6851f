/** Mistakes with the client for JavaScript: each is told by what is wrong, where, and what to do. */
import { assert, describe, it } from "@effect/vitest"
import { Coffer, type CofferOptions, webhooks } from "@coffer/sdk"
import { freePort } from "../kit/Service.ts"
import { Effect } from "effect"

const options: CofferOptions = { apiKey: "svc_test_a", baseUrl: "http://127.0.0.1:1/v1" }
const made = (more: object) => () => new Coffer({ ...options, ...more } as CofferOptions)

describe("a client", () => {
  it.each([
    [{ apikey: "svc_test_a" }, /^apikey: unknown option; did you mean apiKey\?$/],
    [{ baseURL: "https://pay.example/v1" }, /^baseURL: unknown option; did you mean baseUrl\?$/],
    [{ timeout: 5_000 }, /^timeout: unknown option; did you mean timeoutMs\?$/],
    [{ apiVersion: "2026-01-01" }, /^apiVersion: unknown option; the options are apiKey, baseUrl, /],
    [{ ["x".repeat(100_000)]: 1 }, /^x{40}: unknown option; the options are /],
    [{ apiKey: "whsec_a" }, /^apiKey: expected a key that begins with svc_test_ or svc_live_/],
    [{ baseUrl: "https://pay.example" }, /^baseUrl: expected .* like https:\/\/pay\.example\/v1$/],
    [{ maxRetries: 100 }, /^maxRetries: expected a whole number from 0 to 20$/]
  ] as const)("refuses an option that it does not take, and names the nearest or all: %o", (more, says) => {
    assert.throws(made(more), TypeError, says)
  })

  it("refuses an option that a call does not take, since a misspelt key would send a write twice", async () => {
    const { events, orders } = made({})()
    const wrong = (more: object) => more as never
    assert.throws(() => orders.create({ amount: 1 }, wrong({ idempotency_key: "a" })), /did you mean idempotencyKey\?$/)
    assert.throws(() => orders.get("1", wrong({ idempotencyKey: "a" })), /^idempotencyKey: unknown option; the options/)
    assert.throws(() => orders.get("1", wrong({ timeout: 1 })), /^timeout: unknown option; did you mean timeoutMs\?$/)
    assert.throws(
      () => events.follow({}, wrong({ onlost: () => {} })),
      /^onlost: unknown option; did you mean onLost\?$/
    )
    const failure = (work: Promise<unknown>) =>
      work.then(
        () => "",
        ({ message }: Error) => message
      )
    const secret = "whsec_6mLxQ0PZzqk3c5m3dJbq0H0y5oQw1YJpYF5R7xkq0yE="
    const verified = webhooks.verify("{}", {}, secret, wrong({ tolerance: 1 }))
    assert.match(await failure(verified), /^tolerance: unknown option; the options are toleranceSeconds, now$/)
  })

  it.live("names the address and the cause where nothing listens", () =>
    Effect.gen(function* () {
      const baseUrl = `http://127.0.0.1:${yield* freePort}/v1`
      const call = made({ baseUrl, maxRetries: 0 })().orders.get("cart-1")
      const { message } = yield* Effect.promise(() =>
        call.then(
          () => assert.fail("answered"),
          (error: unknown) => error as Error
        )
      )
      assert.include(message, `the connection to ${baseUrl} was lost, or none could be made (ECONNREFUSED: `)
      assert.include(message, "is the service running?")
    })
  )

  it("gives the first page of a list that is awaited, and still reads all of it in a loop", async () => {
    const pages = [
      { ids: ["c", "b"], more: true },
      { ids: ["a"], more: false }
    ]
    const asked: Array<string> = []
    const fetch = async (url: string) => {
      asked.push(url)
      const { ids, more } = pages[url.includes("starting_after") ? 1 : 0]!
      const data = ids.map((trade_no) => ({ object: "order", trade_no }))
      const list = { object: "list", resource: "order", has_more: more, url: "/v1/orders", data }
      return Response.json({ code: 200, message: "ok", request_id: "req_1", data: list })
    }
    const list = made({ fetch })().orders.list()
    assert.deepStrictEqual(asked, [], "nothing is asked before it is read")
    const first = await list
    assert.deepStrictEqual([first.data.map(({ trade_no }) => trade_no), first.has_more], [["c", "b"], true])
    const read: Array<string> = []
    for await (const { trade_no } of list) read.push(trade_no)
    assert.deepStrictEqual(read, ["c", "b", "a"])
    await made({ fetch: () => Promise.reject(new Error("none")), maxRetries: 0 })()
      .orders.list()
      .then(
        () => assert.fail("answered"),
        (error: unknown) => assert.include(String(error), "the connection to")
      )
  })
})

describe("a webhook", () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
  const body = `{"id":"evt_1","type":"payment.succeeded"}`
  it.each([
    ["an object that was parsed before", { id: "evt_1" }, {}, secret, /^body_parsed: .*pass the raw bytes/],
    ["a body that was read before", "", {}, secret, /^body_empty: .*has something read it before\?/],
    ["no headers", body, {}, secret, /^no_header: /],
    ["no secret", body, {}, "", /^bad_secret: /],
    ["a key as the secret", body, {}, "svc_test_a", /^bad_secret: /]
  ] as const)("is refused by its cause: %s", async (_, raw, headers, known, says) => {
    await webhooks.verify(raw as string, headers, known).then(
      () => assert.fail("answered"),
      (error: Error) => {
        assert.match(error.message, says)
      }
    )
  })
})
