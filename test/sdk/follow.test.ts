/** `coffer.events.follow`: each event once, oldest first, whatever becomes of the connection. */
import { assert, describe, it } from "@effect/vitest"
import { AuthenticationError, type CofferOptions, InvalidRequestError } from "@coffer/sdk"
import { Effect } from "effect"
import { answered, clientOf, failureOf, refused, scripted } from "../kit/callers/sdk.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { freePort, freshDatabase, start } from "../kit/Service.ts"

const page = (ids: ReadonlyArray<string>, has_more = false) =>
  answered({ object: "list", resource: "event", has_more, url: "/v1/events", data: ids.map((id) => ({ id })) })

/** So many of them. */
const taken = async (events: AsyncIterable<{ readonly id: string }>, count: number) => {
  const ids: Array<string> = []
  for await (const { id } of events) if (ids.push(id) === count) break
  return ids
}

const queries = (sent: ReturnType<typeof scripted>["sent"]) => sent.map(({ url }) => url.search)

describe("events that are followed", () => {
  it("begin with what happens from now on, and go on from the newest that was read", async () => {
    const { coffer, sent } = scripted([page(["e3"]), page([]), page(["e5", "e4"]), page(["e6"])])
    assert.deepStrictEqual(await taken(coffer.events.follow({ type: "payment.succeeded" }), 3), ["e4", "e5", "e6"])
    assert.deepStrictEqual(queries(sent), [
      "?type=payment.succeeded&limit=1",
      "?type=payment.succeeded&limit=100&wait=25&ending_before=e3",
      "?type=payment.succeeded&limit=100&wait=25&ending_before=e3",
      "?type=payment.succeeded&limit=100&wait=25&ending_before=e5"
    ])
  })

  it("begin behind the one that the program has handled, or with the first one", async () => {
    const after = scripted([page(["e3", "e2"])])
    assert.deepStrictEqual(await taken(after.coffer.events.follow({ after: "e1" }), 2), ["e2", "e3"])
    const all = scripted([page(["e3", "e2"], true), page(["e3", "e2"], true), page(["e1"])])
    assert.deepStrictEqual(await taken(all.coffer.events.follow({ after: null }), 3), ["e1", "e2", "e3"])
    assert.deepStrictEqual(queries(all.sent), ["?limit=100&wait=25", "?limit=100", "?limit=100&starting_after=e2"])
  })

  it("are asked for again after a lost connection, and not before Retry-After has gone by", async () => {
    const told: Array<string> = []
    const { clock, coffer, sent } = scripted([
      page(["e1"]),
      refused(429, "rate_limited", { "Retry-After": "7" }),
      new Error("reset"),
      page(["e2"])
    ])
    const events = coffer.events.follow(
      {},
      { onLost: ({ code }) => told.push(code), onFound: () => told.push("found") }
    )
    assert.deepStrictEqual(await taken(events, 1), ["e2"])
    assert.deepStrictEqual(told, ["rate_limited", "found"])
    assert.strictEqual(clock.slept[0], 7_000)
    assert.deepStrictEqual(
      queries(sent).slice(1),
      Array.from({ length: 3 }, () => "?limit=100&wait=25&ending_before=e1")
    )
  })

  it("are not asked for in a hurry where a runner that stops has nothing to tell", async () => {
    const { clock, coffer } = scripted([page(["e1"]), page([]), page([]), page(["e2"])])
    await taken(coffer.events.follow(), 1)
    assert.deepStrictEqual(clock.slept, [1_000, 1_000])
  })

  it("are asked for every three seconds where the service is older than the wait and refuses it", async () => {
    const told: Array<string> = []
    const older = [refused(400, "invalid_request", {}, "wait"), page([]), page(["e2"]), page(["e3"])]
    const { clock, coffer, sent } = scripted(older)
    const events = coffer.events.follow({ after: "e1" }, { onLost: ({ code }) => told.push(code) })
    assert.deepStrictEqual(await taken(events, 2), ["e2", "e3"])
    assert.deepStrictEqual(queries(sent), [
      "?limit=100&wait=25&ending_before=e1",
      "?limit=100&ending_before=e1",
      "?limit=100&ending_before=e1",
      "?limit=100&ending_before=e2"
    ])
    assert.deepStrictEqual([clock.slept, told], [[3_000, 3_000], []])
  })

  it("begin again with the first that is kept where the newest that was read has been removed, and never else", async () => {
    const tooFar = refused(400, "invalid_request", {}, "ending_before")
    const { coffer, sent } = scripted([page(["e1"]), tooFar, page(["e8", "e7"])])
    assert.deepStrictEqual(await taken(coffer.events.follow({ after: "e0" }), 3), ["e1", "e7", "e8"])
    assert.deepStrictEqual(queries(sent).slice(1), ["?limit=100&wait=25&ending_before=e1", "?limit=100&wait=25"])
    const wrong = scripted([tooFar])
    const refusal = await failureOf(wrong.coffer.events.follow({ after: "e0" }).next(), InvalidRequestError)
    assert.strictEqual(refusal.param, "ending_before")
  })

  it("give each try its wait and the client's patience", async () => {
    const { clock, coffer } = scripted([page(["e2"])], { timeoutMs: 3_000 })
    await taken(coffer.events.follow({ after: "e1" }), 1)
    assert.deepStrictEqual(clock.timers, [28_000])
  })

  it("end with the refusal that would come again, and with the reason of a signal", async () => {
    const refusal = scripted([refused(401, "invalid_api_key")])
    assert.strictEqual((await failureOf(refusal.coffer.events.follow().next(), AuthenticationError)).status, 401)
    const controller = new AbortController()
    const { coffer } = scripted([
      page(["e1"]),
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal!.addEventListener("abort", () => reject(new Error("aborted")))
          controller.abort(new RangeError("enough"))
        })
    ])
    const events = coffer.events.follow({}, { signal: controller.signal })
    assert.strictEqual((await failureOf(events.next(), RangeError)).message, "enough")
  })

  it("name the program before the SDK in the log of calls", async () => {
    const { coffer, sent } = scripted([page(["e2"])], { userAgent: "my-shop/2.1" })
    await taken(coffer.events.follow({ after: "e1" }), 1)
    assert.match(sent[0]!.headers["User-Agent"]!, /^my-shop\/2\.1 coffer-sdk\/\d/)
    const refusedOption = (options: Partial<CofferOptions>) => () => scripted([], options)
    assert.throws(refusedOption({ userAgent: "line\nbreak" }), /userAgent/)
  })

  it.live("come once and in their order from a service, across a restart of its runner", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const port = yield* freePort
      const first = yield* Effect.scoped(
        Effect.gen(function* () {
          const running = yield* start({ database, port })
          yield* merchantOf(running).paid(100)
          return running
        })
      )
      const coffer = clientOf(first)
      const amounts: Array<number> = []
      const events = coffer.events.follow({ after: null, type: "payment.succeeded" })
      const reading = (async () => {
        for await (const { data } of events) if (amounts.push((data.object as { amount: number }).amount) === 4) break
      })()
      for (const [one, two] of [
        [200, 300],
        [400, 500]
      ] as const) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { api } = yield* start({ database, port })
            const shop = merchantOf({ api, merchant: first.merchant })
            yield* shop.paid(one)
            yield* shop.paid(two)
          })
        )
      }
      yield* Effect.scoped(
        Effect.andThen(
          start({ database, port }),
          Effect.promise(() => reading)
        )
      )
      assert.deepStrictEqual(amounts, [100, 200, 300, 400])
    })
  )
})
