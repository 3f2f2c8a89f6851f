/**
 * How many different functions of ours an act runs, by V8's coverage: what a reader has to follow, and what the
 * compiler has to keep warm. What runs in each of several acts counts, so that work of timers does not.
 */
import { Session } from "node:inspector/promises"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { merchantOf } from "../kit/Merchant.ts"
import { receiver } from "../kit/Receiver.ts"
import { start } from "../kit/Service.ts"

const acts = 8
/** Before it is counted, an act has filled caches and opened connections. */
const warmUp = 5
const seriesMax = 6
const most = { create: 350, keyed: 395, pay: 600 }

/** Vite makes an accessor of each export, which the service itself does not have. */
const isAccessor = (source: string) => /^\(\) ?=> ?\{ ?try ?\{ ?return \w+ ?\} ?catch ?\{\} ?\}$/.test(source)

const coverage = Effect.gen(function* () {
  const session = new Session()
  session.connect()
  yield* Effect.addFinalizer(() => Effect.sync(() => session.disconnect()))
  yield* Effect.promise(() => session.post("Debugger.enable"))
  yield* Effect.promise(() => session.post("Profiler.enable"))
  yield* Effect.promise(() => session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false }))
  const sources = new Map<string, string>()
  const sourceOf = async (scriptId: string) => {
    const known = sources.get(scriptId)
    if (known !== undefined) return known
    const { scriptSource } = await session.post("Debugger.getScriptSource", { scriptId })
    sources.set(scriptId, scriptSource)
    return scriptSource
  }
  /** Those that have run since the last look. */
  return Effect.promise(async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage")
    const run = new Set<string>()
    for (const { functions, scriptId, url } of result) {
      if (!/\/(src|packages)\//.test(url) || /\/(node_modules|test|testkit)\//.test(url)) continue
      const source = await sourceOf(scriptId)
      for (const { ranges } of functions) {
        const { count, endOffset, startOffset } = ranges[0]!
        if (count === 0 || startOffset === 0 || isAccessor(source.slice(startOffset, endOffset))) continue
        run.add(`${url}:${startOffset}`)
      }
    }
    return run
  })
})

it.live("a create, a keyed create and a payment with its webhook run no more functions than they did", () =>
  Effect.gen(function* () {
    const running = yield* start()
    const shop = merchantOf(running)
    const hooks = yield* receiver
    const run = yield* coverage
    let number = 0
    const create = (headers: Record<string, string> = {}) =>
      Effect.map(
        running.api.call("POST", "/v1/orders", {
          key: running.merchant.sandboxKey,
          headers,
          body: { out_trade_no: `n-${++number}`, amount: 100, currency: "USD", notify_url: hooks.url }
        }),
        ({ body }) => body.data.trade_no as string
      )
    /** At most `max`, in one of several series: on a busy machine timers may run within each act of one. */
    const counted = Effect.fnUntraced(function* (
      max: number,
      act: Effect.Effect<unknown>,
      before: Effect.Effect<unknown> = Effect.void
    ) {
      const counts: Array<number> = []
      while (counts.length < seriesMax && !counts.some((count) => count <= max)) {
        let always: Set<string> | undefined
        for (let time = 0; time < warmUp + acts; time++) {
          yield* before
          yield* run
          yield* act
          const now = yield* run
          if (time >= warmUp) always = always === undefined ? now : new Set([...always].filter((each) => now.has(each)))
        }
        counts.push(always!.size)
      }
      return Math.min(...counts)
    })
    let order = ""
    const found = {
      create: yield* counted(
        most.create,
        Effect.suspend(() => create())
      ),
      keyed: yield* counted(
        most.keyed,
        Effect.suspend(() => create({ "Idempotency-Key": `key-${number}` }))
      ),
      pay: yield* counted(
        most.pay,
        Effect.suspend(() => Effect.andThen(shop.post(`/v1/test_helpers/orders/${order}/pay`, {}), hooks.next)),
        Effect.flatMap(
          Effect.suspend(() => create()),
          (made) => Effect.sync(() => void (order = made))
        )
      )
    }
    assert.isAtMost(found.create, most.create)
    assert.isAtMost(found.keyed, most.keyed)
    assert.isAtMost(found.pay, most.pay)
  })
)
