/** Requests of several merchants while the database has a fault, and what became of them. */
import { spawnSync } from "node:child_process"
import { assert } from "@effect/vitest"
import { Duration, Effect } from "effect"
import type { Api } from "../Api.ts"
import { answered, eventually } from "../Process.ts"
import { stretched } from "../run/slowness.ts"

export interface Sent {
  readonly what: string
  readonly round: number
  /** Undefined until it is answered, and for ever when the connection broke. */
  status: number | undefined
  /** The number of the round that was the last when the answer came. */
  answeredIn: number | undefined
}

const roundMillis = 250

/** One request of each kind per merchant and round, none of which waits for another. */
export const traffic = ({ api }: { readonly api: Api }, keys: ReadonlyArray<string>) => {
  const sent: Array<Sent> = []
  const created = new Map<string, string>()
  const paid = new Map<string, string>()
  let round = 0

  const note = <A extends { readonly status: number } | undefined>(what: string, call: Effect.Effect<A>) =>
    Effect.gen(function* () {
      const entry: Sent = { what, round, status: undefined, answeredIn: undefined }
      sent.push(entry)
      const reply = yield* call
      entry.status = reply?.status
      entry.answeredIn = round
      return reply
    })
  const order = Effect.fnUntraced(function* (key: string) {
    const reply = yield* note("create", answered(api.post("/v1/orders", key, { amount: 1000 })))
    if (reply?.status !== 201) return undefined
    created.set(reply.body.data.trade_no, key)
    return reply.body.data.trade_no as string
  })
  const pay = Effect.fnUntraced(function* (key: string, tradeNo: string) {
    const reply = yield* note("pay", answered(api.post(`/v1/test_helpers/orders/${tradeNo}/pay`, key, {})))
    if (reply?.status === 200) paid.set(tradeNo, key)
  })

  /** Orders that are there before the fault. */
  const stock = Effect.forEach(
    keys.flatMap((key) => Array.from({ length: 40 }, () => key)),
    (key) => Effect.map(order(key), (tradeNo) => ({ key, tradeNo: tradeNo! })),
    { concurrency: 16 }
  )

  /** For so many rounds; `stocked` are paid meanwhile, some in each. */
  const run = Effect.fnUntraced(function* (
    rounds: number,
    stocked: ReadonlyArray<{ readonly key: string; readonly tradeNo: string }>
  ) {
    const queue = new Map(
      keys.map((key) => [key, stocked.filter((each) => each.key === key && !paid.has(each.tradeNo))])
    )
    for (let done = 0; done < rounds; done++) {
      for (const key of keys) {
        const next = queue.get(key)?.pop()
        const known = stocked[0]!
        yield* Effect.forkScoped(order(key))
        // A merchant may have few files.
        if (done === 0) yield* Effect.forkScoped(note("file", answered(api.get("/v1/orders?format=csv", key))))
        if (next !== undefined) yield* Effect.forkScoped(pay(key, next.tradeNo))
        yield* Effect.forkScoped(note("list", answered(api.get("/v1/orders?limit=5", key))))
        yield* Effect.forkScoped(note("read", answered(api.get(`/v1/orders/${known.tradeNo}`, known.key))))
      }
      yield* Effect.sleep(roundMillis)
      round++
    }
  })

  /** Waits for the answers to the first rounds, up to so many rounds from each, as a busy machine needs. */
  const linger = Effect.fnUntraced(function* (firstRounds: number, roundsMax: number) {
    const waits = () => sent.some((each) => each.round < firstRounds && each.answeredIn === undefined)
    while (round <= firstRounds + roundsMax && waits()) {
      yield* Effect.sleep(roundMillis)
      round++
    }
  })

  return { sent, created, paid, stock, run, linger }
}

export type Traffic = ReturnType<typeof traffic>

/** Five seconds, and half a one until the answer is read. */
const answerMillis = 5_500

/** Those that were sent in the first rounds are answered in time while the fault goes on, and no answer is 500. */
export const assertNoneHung = Effect.fnUntraced(function* ({ linger, sent }: Traffic, firstRounds: number) {
  const roundsMax = Duration.toMillis(yield* stretched(answerMillis)) / roundMillis
  yield* linger(firstRounds, roundsMax)
  const early = sent.filter(({ round }) => round < firstRounds)
  assert.isAbove(early.length, 0)
  assert.deepStrictEqual(
    early.filter(({ answeredIn, round }) => answeredIn === undefined || answeredIn - round > roundsMax),
    [],
    "requests without an answer within five seconds"
  )
  assert.deepStrictEqual(
    countsOf(sent.filter(({ status }) => status !== undefined && status >= 500 && status !== 503)),
    {}
  )
})

/** How many of each kind ended how: `create 201`. */
export const countsOf = (sent: ReadonlyArray<Sent>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { status, what } of sent) counts[`${what} ${status}`] = (counts[`${what} ${status}`] ?? 0) + 1
  return counts
}

/** All is well again: each kind of request succeeds for each merchant. */
export const recovers = Effect.fnUntraced(function* ({ api }: { readonly api: Api }, keys: ReadonlyArray<string>) {
  for (const key of keys) {
    yield* eventually(
      "creates and payments to succeed again",
      Effect.gen(function* () {
        const reply = yield* answered(api.post("/v1/orders", key, { amount: 1000 }))
        if (reply?.status !== 201) return false
        const path = `/v1/test_helpers/orders/${reply.body.data.trade_no}/pay`
        return (yield* answered(api.post(path, key, {})))?.status === 200
      })
    )
  }
})

/** Within ten seconds of the end of a fault. */
export const recoversSoon = Effect.fnUntraced(function* (...params: Parameters<typeof recovers>) {
  const [duration] = yield* Effect.timed(recovers(...params))
  assert.isBelow(Duration.toSeconds(duration), Duration.toSeconds(yield* stretched("10 seconds")))
})

/** Every object that was answered with success is there. */
export const assertNothingLost = Effect.fnUntraced(function* ({ api }: { readonly api: Api }, traffic: Traffic) {
  yield* Effect.forEach(
    traffic.created,
    ([tradeNo, key]) =>
      Effect.map(api.get(`/v1/orders/${tradeNo}`, key), ({ body, status }) => {
        assert.strictEqual(status, 200)
        if (traffic.paid.has(tradeNo)) assert.strictEqual(body.data.status, "paid")
      }),
    { concurrency: 8 }
  )
})

/** A process and all that it has started. */
export const familyOf = (pid: number): ReadonlyArray<number> => {
  const lines = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).stdout.split("\n")
  const children = lines.map((line) => line.trim().split(/\s+/).map(Number)).filter(([, parent]) => parent === pid)
  return [pid, ...children.map(([child]) => child!)]
}
