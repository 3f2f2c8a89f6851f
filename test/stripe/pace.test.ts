/** Calls to Stripe are made as fast as an account takes them, those for waiting buyers first. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Queue } from "effect"
import type { Time } from "../../src/platform/runtime/Deadline.ts"
import { isCrowded, newLine, nextIn, type Urgency } from "../../src/channels/stripe/Pace.ts"
import { PaceTime } from "../../src/channels/stripe/Pace.ts"
import type { Reply } from "../kit/Api.ts"
import { requestTime } from "../kit/program/requestTime.ts"
import { chooses, connected, leadsTo, quick, worlds } from "./kit.ts"

/** Time passes whenever a call waits for it, until it is stopped. */
const passing = () => {
  const time = requestTime()
  const passes = { isFree: true }
  const paceTime: Time = {
    millis: time.time.millis,
    after: (millis, run) => {
      if (passes.isFree) setImmediate(() => time.move(millis))
      return time.time.after(millis, run)
    }
  }
  return { time, passes, beneath: Layer.mergeAll(time.layer, Layer.succeed(PaceTime, paceTime), quick) }
}

/** An account takes so many calls in a second. Time passes until buyers begin. */
const paced = Effect.fnUntraced(function* (perSecond: number) {
  const { beneath, passes, time } = passing()
  const world = yield* connected({ beneath, env: { STRIPE_CALLS_SANDBOX: String(perSecond) } })
  const second = Effect.gen(function* () {
    yield* world.leap("1 second")
    time.move(1_000)
  })
  const metric = (start: string) =>
    Effect.map(world.api.get("/metrics"), ({ text }) => {
      const lines = text.split("\n").filter((line) => line.startsWith(start))
      return lines.reduce((sum, line) => sum + Number(line.split(" ")[1]), 0)
    })
  /** All tests of a file share the counters. */
  const since = Effect.fnUntraced(function* (start: string) {
    const before = yield* metric(start)
    return Effect.map(metric(start), (now) => now - before)
  })
  const replies = yield* Queue.unbounded<Reply>()
  const orders = Effect.fnUntraced(function* (count: number) {
    const made = []
    for (let index = 0; index < count; index++) {
      // A merchant writes 120 times a minute.
      if (index % 100 === 99) yield* world.leap("61 seconds")
      made.push(yield* world.order())
    }
    yield* second
    passes.isFree = false
    yield* world.control.rate_limit({ calls: perSecond })
    return made
  })
  /** Buyers of these orders choose at the same moment. */
  const begin = (all: ReadonlyArray<{ readonly trade_no: string; readonly checkout_url: string }>) =>
    Effect.forEach(
      all,
      (order) =>
        Effect.forkChild(
          Effect.flatMap(world.choose(order), (reply) => Queue.offer(replies, reply)),
          {
            startImmediately: true
          }
        ),
      { discard: true }
    )
  const take = (count: number) => Effect.replicateEffect(Queue.take(replies), count)
  const letTimeGo = () => {
    passes.isFree = true
  }
  // Its stop waits for queued calls, and would time out after a real minute.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      letTimeGo()
      time.move(60_000)
    })
  )
  return { ...world, letTimeGo, time, second, since, orders, begin, take }
})

describe("of an account that takes 25 calls in a second", () => {
  it.live(
    "225 buyers in a second reach a session each, none sees an error, and the last one does in the ninth second",
    () =>
      Effect.gen(function* () {
        const { begin, orders, second, since, take } = yield* paced(25)
        const all = yield* orders(225)
        const limited = yield* since('coffer_stripe_calls_total{mode="sandbox",outcome="rate_limited"')
        const waits = yield* since('coffer_stripe_waits_total{mode="sandbox",urgency="buyer"')
        yield* begin(all)
        const seen: Array<Reply> = []
        for (let seconds = 0; seconds < 9; seconds++) {
          if (seconds > 0) yield* second
          seen.push(...(yield* take(25)))
        }
        assert.deepStrictEqual(
          seen.filter(({ status }) => status !== 200).map(({ status }) => status),
          []
        )
        assert.strictEqual(new Set(seen.map(leadsTo)).size, 225)
        assert.strictEqual(yield* limited, 0)
        assert.isAtMost(yield* waits, 225)
      }).pipe(Effect.scoped)
  )
})

describe("60 payments that Stripe reports at the same time", () => {
  it.live("are credited with one call for each, so that the last one waits for two seconds of 25 calls", () =>
    Effect.gen(function* () {
      const { api, choose, control, order, sessions, settled, sql } = yield* connected()
      const all = yield* Effect.replicateEffect(order(), 60)
      for (const one of all) assert.strictEqual((yield* choose(one)).status, 200)
      yield* control.hold_webhooks({})
      for (const one of all) yield* control.pay({ session: sessions(one)[0]!.id })
      yield* settled
      const calls = Effect.map(api.get("/metrics"), ({ text }) =>
        Array.from(text.matchAll(/^coffer_stripe_calls_total\{mode="sandbox".*\} (\d+)/gm), ([, count]) =>
          Number(count)
        ).reduce((sum, count) => sum + count, 0)
      )
      const before = yield* calls
      yield* control.release_webhooks({})
      yield* settled
      assert.lengthOf(yield* sql`select 1 from orders where status = 'paid'`, all.length)
      assert.isAtMost((yield* calls) - before, all.length)
    })
  )
})

describe("a buyer", () => {
  it.live("for whom no call can be made in time is refused immediately, with the seconds to wait", () =>
    Effect.gen(function* () {
      const { begin, orders, second, take } = yield* paced(1)
      yield* begin(yield* orders(20))
      // One is asked for at once, nine can be within the time of a request, and a tenth waits for its end.
      const early = yield* take(10)
      assert.strictEqual(early.filter(({ status }) => status === 200).length, 1)
      for (const reply of early.filter(({ status }) => status !== 200)) {
        assert.strictEqual(reply.status, 503)
        assert.match(reply.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
      }
      for (let seconds = 0; seconds < 9; seconds++) {
        yield* second
        assert.deepStrictEqual(
          (yield* take(1)).map(({ status }) => status),
          [200]
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("whose call was one too many for Stripe waits as long as Stripe says, and then reaches a session", () =>
    Effect.gen(function* () {
      const { begin, control, letTimeGo, orders, take, time } = yield* paced(25)
      yield* control.fault({ on: "POST /v1/checkout/sessions", kind: "rate_limited", retry_after: 3 })
      const made = yield* orders(1)
      letTimeGo()
      const before = time.time.millis()
      yield* begin(made)
      const [reply] = yield* take(1)
      assert.isAtLeast(time.time.millis() - before, 3_000)
      assert.strictEqual(reply!.status, 200)
    }).pipe(Effect.scoped)
  )

  for (const reason of ["endpoint-rate", "global-concurrency", "lock_timeout"]) {
    it.live(`whose call met Stripe's limit ${reason} reaches a session all the same`, () =>
      Effect.gen(function* () {
        const { choose, control, order } = yield* connected()
        yield* control.fault({ on: "POST /v1/checkout/sessions", kind: "rate_limited", reason, times: 3 })
        assert.strictEqual((yield* choose(yield* order())).status, 200)
      })
    )
  }
})

describe("a connected account", () => {
  it.live("has its sandbox's calls and its live ones counted apart, though it has one number", () =>
    Effect.gen(function* () {
      const { beneath, passes, time } = passing()
      const world = yield* worlds({ beneath, env: { STRIPE_CALLS_SANDBOX: "1", STRIPE_CALLS_LIVE: "1" } })
      const { api, merchant } = world
      const approval = { approved: true, live_currencies: ["USD"] }
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, approval)
      const account = "acct_one"
      const orderIn = Effect.fnUntraced(function* (mode: "sandbox" | "live", key: string) {
        const channel = { channel: "stripe", webhook_secret: "whsec_ofNobody", account }
        const secret = mode === "live" ? "sk_live_ofThePlatform" : "sk_test_ofThePlatform"
        const path = `/merchants/${merchant.merchantId}/channels/${mode}`
        const set = yield* api.operator("POST", path, { ...channel, secret_key: secret })
        assert.strictEqual(set.status, 200, set.text)
        const notified = mode === "live" ? { notify_url: "https://shop.example/nobody" } : {}
        return (yield* api.post("/v1/orders", key, { amount: 2_000, ...notified })).body.data
      })
      const orders = [yield* orderIn("sandbox", merchant.sandboxKey), yield* orderIn("live", merchant.liveKey)]
      yield* world.atRest
      passes.isFree = false
      time.move(1_000)
      for (const order of orders) assert.strictEqual((yield* chooses(api, order, "card")).status, 200)
    }).pipe(Effect.scoped)
  )
})

describe("the line of an account", () => {
  const standing = (count: Partial<Record<Urgency, number>>) => {
    const line = newLine()
    for (const [urgency, many] of Object.entries(count)) {
      for (let one = 0; one < many; one++) line.add({ urgency: urgency as Urgency, until: 1, go: () => {} }, false)
    }
    return line
  }

  it("lets buyers go first, money in one of eight turns and the rest in one of 64, so that no call waits for ever", () => {
    const line = standing({ buyer: 200, money: 200, rest: 200 })
    const went = Array.from({ length: 64 }, () => nextIn(line)!.urgency)
    const count = (urgency: Urgency) => went.filter((each) => each === urgency).length
    assert.deepStrictEqual([count("buyer"), count("money"), count("rest")], [56, 7, 1])
    assert.strictEqual(went[0], "buyer")
  })

  it("gives a turn to a waiting call if none is more urgent", () => {
    const line = standing({ rest: 3 })
    assert.deepStrictEqual(
      [nextIn(line), nextIn(line), nextIn(line), nextIn(line)].map((each) => each?.urgency),
      ["rest", "rest", "rest", undefined]
    )
  })

  it("is too long for a buyer when buyers alone need more than the time that is left", () => {
    const line = standing({ buyer: 175, rest: 1_000 })
    assert.isFalse(isCrowded(line, "buyer", 25, 7.8))
    assert.isTrue(isCrowded(line, "buyer", 25, 6.9))
    assert.isTrue(isCrowded(line, "rest", 10, 60))
  })

  it("drops those that are too late, and tells them", () => {
    const line = newLine()
    const told: Array<boolean> = []
    line.add({ urgency: "money", until: 5, go: (may) => void told.push(may) }, false)
    line.add({ urgency: "rest", until: 50, go: (may) => void told.push(may) }, false)
    line.dropLate(10)
    assert.deepStrictEqual([told, line.size()], [[false], 1])
  })
})
