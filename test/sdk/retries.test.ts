/** The calls that the SDK tries again, when, for how long, and what its caller is told in the end. */
import { assert, describe, it } from "@effect/vitest"
import {
  ApiError,
  CofferError,
  ConflictError,
  ConnectionError,
  RateLimitError,
  ServerError,
  TimeoutError
} from "@coffer/sdk"
import { answered, failureOf, refused, scripted, testClock, until } from "../kit/callers/sdk.ts"

const lost = new TypeError("fetch failed")
const order = { amount: 1999 }

/** Until the caller's or the client's signal ends it. */
const silence = (_: unknown, { signal }: RequestInit) =>
  new Promise<Response>((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)))

describe("a call is tried again", () => {
  const passing: ReadonlyArray<readonly [name: string, Response | Error]> = [
    ["the connection is lost", lost],
    ["the first request with the key is still running", refused(409, "idempotency_in_progress")],
    ["a quota is used up", refused(429, "rate_limited")],
    ["the service fails", refused(500, "internal_error")],
    ["the channel fails", refused(502, "processor_error")],
    ["the service is busy", refused(503, "internal_error")],
    ["a proxy answers in its place", new Response("<h1>Bad gateway</h1>", { status: 502 })]
  ]
  for (const [name, failure] of passing) {
    it(`when ${name}, with the same Idempotency-Key and the same body`, async () => {
      const { coffer, sent } = scripted([failure, failure, answered({ trade_no: "1" }, 201)])
      const answer = await coffer.orders.create(order).withResponse()
      assert.deepStrictEqual([answer.data.trade_no, answer.status, answer.attempts], ["1", 201, 3])
      assert.strictEqual(sent.length, 3)
      assert.strictEqual(new Set(sent.map(({ headers }) => headers["Idempotency-Key"])).size, 1)
      assert.strictEqual(answer.idempotencyKey, sent[0]!.headers["Idempotency-Key"])
      assert.deepStrictEqual(
        sent.map(({ body }) => body),
        Array.from(sent, () => JSON.stringify(order))
      )
    })
  }

  it("when the answer breaks off in its middle", async () => {
    const torn = () => new Response(new ReadableStream({ pull: (answer) => answer.error(lost) }))
    const { coffer } = scripted([torn, answered({ trade_no: "1" })])
    assert.strictEqual((await coffer.orders.get("1")).trade_no, "1")
  })

  it("with another Idempotency-Key than any other call, or the one that the caller gives", async () => {
    const { coffer, sent } = scripted([answered({})])
    await coffer.orders.create(order)
    await coffer.orders.create(order)
    await coffer.orders.create(order, { idempotencyKey: "cart-4711" })
    const [first, second, third] = sent.map(({ headers }) => headers["Idempotency-Key"]!)
    assert.notStrictEqual(first, second)
    assert.match(first!, /^[0-9a-f-]{36}$/)
    assert.strictEqual(third, "cart-4711")
    for (const idempotencyKey of ["", "ü", "a\n", "k".repeat(256)]) {
      await failureOf(
        Promise.resolve().then(() => coffer.orders.expire("1", { idempotencyKey })),
        TypeError
      )
    }
  })
})

describe("a call is not tried again", () => {
  for (const [status, error] of [
    [400, "invalid_request"],
    [400, "idempotency_error"],
    [401, "invalid_api_key"],
    [403, "forbidden"],
    [404, "order_not_found"],
    [409, "conflict"]
  ] as const) {
    it(`after ${status} ${error}, which would stay the same`, async () => {
      const { coffer, sent } = scripted([refused(status, error, {}, "amount")])
      const {
        attempts,
        code,
        param,
        requestId,
        response,
        status: told,
        text
      } = await failureOf(coffer.orders.create(order), ApiError)
      assert.deepStrictEqual([told, code, param, requestId, attempts], [status, error, "amount", "req_1", 1])
      assert.deepStrictEqual([response.status, JSON.parse(text).error], [status, error])
      assert.strictEqual(sent.length, 1)
    })
  }

  it("after 200 that is not the service's, such as a page for people", async () => {
    for (const answer of [new Response("<h1>Welcome</h1>"), Response.json({ hello: 1 }), Response.json(null)]) {
      const { coffer, sent } = scripted([answer])
      const { code, status } = await failureOf(coffer.orders.get("1"), ApiError)
      assert.deepStrictEqual([code, status, sent.length], ["unexpected_answer", 200, 1])
    }
  })
})

describe("between two tries", () => {
  it("a call waits a random part of half a second, and of twice as much each time, up to 8 seconds", async () => {
    for (const random of [0, 0.5, 0.999]) {
      const { clock, coffer } = scripted([lost], { maxRetries: 7, random: () => random })
      await failureOf(coffer.orders.get("1"), ConnectionError)
      assert.deepStrictEqual(
        clock.slept,
        [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000].map((millis) => millis * random)
      )
    }
  })

  it("it waits at least as long as Retry-After says, in seconds or as a date", async () => {
    const { clock, coffer } = scripted(
      [
        refused(429, "rate_limited", { "Retry-After": "7" }),
        refused(503, "internal_error", { "Retry-After": "2" }),
        answered({})
      ],
      { random: () => 0.5 }
    )
    await coffer.orders.create(order)
    assert.deepStrictEqual(clock.slept, [7_250, 2_500])

    const date = refused(503, "internal_error", { "Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT" })
    const past = scripted([date, answered({})])
    await past.coffer.orders.create(order)
    assert.deepStrictEqual(past.clock.slept, [0], "a moment that has passed")

    const dates = { Date: "Thu, 01 Jan 1970 00:00:00 GMT", "Retry-After": "Thu, 01 Jan 1970 00:00:09 GMT" }
    const dated = scripted([refused(503, "internal_error", dates), answered({})], { random: () => 0 })
    await dated.coffer.orders.create(order)
    assert.deepStrictEqual(
      dated.clock.slept,
      [9_000],
      "counted from the date of the answer, and not from a clock of ours"
    )
  })

  it("but for an upload, which has no key: it is sent again when a quota was used up, and never when it may be there", async () => {
    const file = new Blob(["x"])
    const refusedFirst = scripted([refused(429, "rate_limited"), answered({ url: "u" }, 201)])
    await refusedFirst.coffer.files.upload(file)
    assert.lengthOf(refusedFirst.sent, 2)
    for (const failure of [lost, refused(500, "internal_error"), refused(503, "internal_error")]) {
      const { coffer, sent } = scripted([failure, answered({ url: "u" }, 201)])
      await failureOf(coffer.files.upload(file), CofferError)
      assert.lengthOf(sent, 1)
    }
  })

  it("until no time is left: a pause that lasts too long ends with the last failure, and no time is negative", async () => {
    let now = 0
    const clock = { ...testClock(), now: () => now, sleep: async () => void (now += 120_000) }
    const { coffer, sent } = scripted([refused(503, "internal_error"), answered({})], { clock })
    const error = await failureOf(coffer.orders.get("1"), ServerError)
    assert.notMatch(error.message, /-\d/)
    assert.lengthOf(sent, 1)
  })
})

describe("a call ends", () => {
  it("after as many retries as allowed, with the last failure", async () => {
    for (const maxRetries of [0, 1, 4]) {
      const { coffer, sent } = scripted([lost, refused(503, "internal_error")], { maxRetries })
      const error = await failureOf(coffer.orders.get("1"), CofferError)
      assert.instanceOf(error, maxRetries === 0 ? ConnectionError : ServerError)
      assert.deepStrictEqual([sent.length, error.attempts], [maxRetries + 1, maxRetries + 1])
    }
    const { coffer, sent } = scripted([lost])
    await failureOf(coffer.orders.get("1", { maxRetries: 2 }), ConnectionError)
    assert.strictEqual(sent.length, 3)
  })

  it("at once when the service asks for a longer wait than the deadline leaves", async () => {
    const busy = refused(429, "rate_limited", { "Retry-After": "61" })
    const { clock, coffer, sent } = scripted([busy])
    const { retryAfterMs } = await failureOf(coffer.orders.create(order), RateLimitError)
    assert.deepStrictEqual([retryAfterMs, sent.length, clock.slept.length], [61_000, 1, 0])
    const patient = scripted([busy, answered({})])
    await patient.coffer.orders.create(order, { deadlineMs: 70_000 })
    assert.deepStrictEqual(patient.clock.slept, [61_000])
  })

  it("when a try takes longer than its time, and no later than its deadline", async () => {
    const { clock, coffer, sent } = scripted([silence], { timeoutMs: 20_000, deadlineMs: 50_000 })
    const call = failureOf(coffer.orders.create(order), TimeoutError)
    for (let tries = 1; tries <= 3; tries++) {
      await until(() => sent.length === tries)
      clock.expire()
    }
    const { code, idempotencyKey, message } = await call
    assert.deepStrictEqual(clock.timers, [20_000, 20_000, 10_000])
    assert.strictEqual(code, "timeout")
    assert.include(message, `retry with the idempotencyKey ${idempotencyKey}`)
  })

  it("in time with a fetch that does not listen to its signal", async () => {
    const { clock, coffer, sent } = scripted([() => new Promise<Response>(() => undefined)], { maxRetries: 0 })
    const call = failureOf(coffer.orders.get("1"), TimeoutError)
    await until(() => sent.length === 1)
    clock.expire()
    await call
  })

  it("with the reason of its signal: before it is sent, under way, and between two tries", async () => {
    const reason = new Error("the shop is closing")
    const before = scripted([answered({})])
    assert.strictEqual(
      await failureOf(before.coffer.orders.get("1", { signal: AbortSignal.abort(reason) }), Error),
      reason
    )
    assert.strictEqual(before.sent.length, 0)

    const under = new AbortController()
    const way = scripted([silence])
    const call = failureOf(way.coffer.orders.get("1", { signal: under.signal }), Error)
    await until(() => way.sent.length === 1)
    under.abort(reason)
    assert.strictEqual(await call, reason)
    assert.strictEqual(way.sent.length, 1)

    const between = new AbortController()
    const failing = () => {
      between.abort(reason)
      return refused(503, "internal_error")
    }
    const tries = scripted([failing])
    assert.strictEqual(await failureOf(tries.coffer.orders.get("1", { signal: between.signal }), Error), reason)
    assert.strictEqual(tries.sent.length, 1)
  })

  it("and leaves no listener on a signal that lives on, and no timer", async () => {
    let listeners = 0
    const { signal } = new AbortController()
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
    signal.addEventListener = (...args: Parameters<typeof add>) => void (listeners++, add(...args))
    signal.removeEventListener = (...args: Parameters<typeof remove>) => void (listeners--, remove(...args))
    let timers = 0
    const clock = testClock()
    const counted = {
      ...clock,
      timer: (...args: Parameters<typeof clock.timer>) => {
        timers++
        const cancel = clock.timer(...args)
        return () => void (timers--, cancel())
      }
    }
    const watched = scripted([lost, refused(404, "order_not_found")], { clock: counted })
    await failureOf(watched.coffer.orders.get("1", { signal }), ApiError)
    assert.deepStrictEqual([listeners, timers], [0, 0])
  })
})

describe("hooks", () => {
  it("are called with each try and its outcome", async () => {
    const told: Array<unknown> = []
    const { coffer } = scripted(
      [lost, refused(503, "internal_error", { "Retry-After": "1" }), answered({}, 201, { "X-Request-Id": "req_3" })],
      {
        hooks: {
          onRequest: ({ attempt, idempotencyKey, method, url }) => told.push([attempt, method, url, idempotencyKey]),
          onResponse: ({ attempt, durationMs, error, requestId, retryInMs, status }) =>
            told.push([attempt, status, requestId, error?.code, retryInMs, durationMs])
        }
      }
    )
    await coffer.orders.create(order, { idempotencyKey: "k" })
    const request = ["POST", "https://pay.example/v1/orders", "k"]
    assert.deepStrictEqual(told, [
      [1, ...request],
      [1, undefined, undefined, "connection_lost", 0, 0],
      [2, ...request],
      [2, 503, "req_1", "internal_error", 1_000, 0],
      [3, ...request],
      [3, 201, "req_3", undefined, undefined, 0]
    ])
  })

  it("change nothing when they throw", async () => {
    const fail = () => {
      throw new Error("the hook's own")
    }
    const { coffer } = scripted([lost, answered({ trade_no: "1" })], {
      hooks: { onRequest: fail, onResponse: () => Promise.reject(new Error("the hook's own")) as never }
    })
    assert.strictEqual((await coffer.orders.get("1")).trade_no, "1")
  })
})

describe("a conflict", () => {
  it("is distinguished from a request that is still running by its code", async () => {
    const running = scripted([refused(409, "idempotency_in_progress", { "Retry-After": "30" })], { maxRetries: 0 })
    const conflict = scripted([refused(409, "conflict")])
    const errors = [
      await failureOf(running.coffer.orders.create(order), ConflictError),
      await failureOf(conflict.coffer.orders.create(order), ConflictError)
    ]
    assert.deepStrictEqual(
      errors.map(({ code, retryAfterMs }) => [code, retryAfterMs]),
      [
        ["idempotency_in_progress", 30_000],
        ["conflict", undefined]
      ]
    )
  })
})
