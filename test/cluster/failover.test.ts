/** One of three runners is killed, frozen or stopped: its orders and wallets answer again, and what the others log. */
import { loadavg } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { alarms, assertNoneFailed, busyClients } from "../kit/stories/busyClients.ts"
import { answered, assertBooksWhole, type Coffer, connect } from "../kit/Process.ts"
import { freePort, freshDatabase } from "../kit/Service.ts"
import { restMillis, rounds } from "../kit/run/soak.ts"
import { eachOwnsAPart, newOrders, newWallets, ownerOf, threeRunners } from "../kit/runners/threeRunners.ts"
import { newKey, newOrder, type Order, perform, performAtLast, runner } from "../kit/runners/TwoRunners.ts"

const kills = Number(process.env["KILLS"] ?? rounds(2, 50))
/** Orders that are read at each kill, some twenty for each runner. */
const asked = 60
/** The requests of a rolling restart. */
const requestsMin = rounds(600, 20_000)

const quantile = (numbers: ReadonlyArray<number>, share: number) =>
  numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length * share) - 1] ?? 0

/**
 * Retries at once after each refusal, until the replacement is in the cluster, too. Returns the longest time without an
 * answer, in seconds. A person sees them.
 */
const untilSteady = (coffer: Coffer, order: Order, note: string, replacement: Coffer | undefined) =>
  Effect.gen(function* () {
    let [since, longest] = [performance.now(), 0]
    for (let answers = 0; ;) {
      const { headers, status, text } = yield* perform(coffer, "annotate", order, note)
      if (status === 200) {
        longest = Math.max(longest, performance.now() - since)
        since = performance.now()
        answers++
        if (replacement === undefined || /^Coffer (is ready|serves)/m.test(replacement.said.stdout)) {
          return { order, seconds: longest / 1_000, answers }
        }
        yield* Effect.sleep("100 millis")
        since = performance.now()
        continue
      }
      assert.strictEqual(status, 503, text)
      assert.isTrue(headers.has("retry-after"))
    }
  })

const three = Effect.gen(function* () {
  const { databaseUrl, nodes, sql } = yield* threeRunners
  const key = yield* newKey(nodes[0]!)
  return { databaseUrl, nodes: [...nodes], sql, key }
})

const routine = /REDIS_URL is not set/
const alarming = (coffer: Coffer) => alarms(coffer).filter((line) => !routine.test(line))

const ways = [
  { way: "is killed without a replacement", signal: "SIGKILL", isReplaced: false },
  { way: "is killed with a replacement that joins at once", signal: "SIGKILL", isReplaced: true },
  { way: "is frozen", signal: "SIGSTOP", isReplaced: false }
] as const

describe("of three runners", () => {
  for (const { isReplaced, signal, way } of ways) {
    it.live(`one ${way}, ${kills} times: what it owned answers soon, the others' at the first call`, () =>
      Effect.gen(function* () {
        const { databaseUrl, nodes, sql } = yield* three
        const orders = yield* newOrders(nodes[0]!, yield* newWallets(nodes[0]!, 20), asked)
        const walletOf = new Map(orders.map(({ tradeNo, wallet }) => [tradeNo, wallet]))
        const [lost, others]: [Array<number>, Array<number>] = [[], []]
        for (let kill = 0; kill < kills; kill++) {
          const held = yield* eachOwnsAPart(sql, 3)
          const victim = nodes[kill % 3]!
          const askedOf = nodes[(kill + 1) % 3]!
          // A runner knows the others, as it does a moment after its start.
          yield* Effect.forEach(orders, (order) => performAtLast(askedOf, "annotate", order), {
            concurrency: "unbounded",
            discard: true
          })
          victim.signal(signal)
          const replacement = isReplaced ? yield* runner(databaseUrl) : undefined
          const done = yield* Effect.forEach(
            orders,
            (order) => untilSteady(askedOf, order, `kill${kill % 10}`, replacement),
            {
              concurrency: "unbounded"
            }
          )
          for (const { order, seconds } of done) {
            const isLost = ownerOf(walletOf.get(order.tradeNo)!, held) === victim.pid
            ;(isLost ? lost : others).push(seconds)
          }
          const told = new RegExp(`the runner 127\\.0\\.0\\.1:\\d+ \\(version .*\\) ended without shutting down`)
          assert.match(askedOf.said.stderr, told)
          assert.match(
            askedOf.said.stderr,
            /this runner took over \d+ shards, \d+\.\d s after the runner .* ended without shutting down/
          )
          if (signal === "SIGSTOP") victim.signal("SIGKILL")
          const next = replacement ?? (yield* runner(databaseUrl))
          yield* next.ready
          nodes[kill % 3] = next
        }
        const figuresOf = (numbers: ReadonlyArray<number>) => ({
          p50: quantile(numbers, 0.5),
          p99: quantile(numbers, 0.99),
          max: quantile(numbers, 1)
        })
        console.log(
          JSON.stringify({
            kills,
            way,
            count: lost.length,
            lost: figuresOf(lost),
            others: figuresOf(others),
            load: loadavg()[0]
          })
        )
        assert.isAbove(lost.length, kills * 5)
        yield* assertBooksWhole(sql)
      })
    )
  }

  it.live("one after the other is stopped and started again under load: no request is cut or told to come back", () =>
    Effect.gen(function* () {
      const { databaseUrl, key, nodes, sql } = yield* three
      const ports = nodes.map(({ port }) => port)
      const retired: Array<Coffer> = []
      let isOver = false
      const load = yield* Effect.forkChild(
        busyClients(12, ports, key, (paid) => (isOver && paid * 2 >= requestsMin ? "enough" : undefined), restMillis)
      )
      for (let stops = 0; stops < rounds(3, 24); stops++) {
        yield* eachOwnsAPart(sql, 3)
        const leaving = nodes[stops % 3]!
        leaving.signal("SIGTERM")
        assert.deepStrictEqual(yield* leaving.ended, { code: 0, signal: null })
        retired.push(leaving)
        nodes[stops % 3] = yield* runner(databaseUrl, {}, leaving.port)
        yield* nodes[stops % 3]!.ready
      }
      isOver = true
      assert.isAtLeast(assertNoneFailed(yield* Fiber.join(load)), requestsMin)
      for (const coffer of [...retired, ...nodes]) assert.deepStrictEqual(alarming(coffer), [])
      assert.match(nodes[1]!.said.stderr, /the runner 127\.0\.0\.1:\d+ \(version .*\) has stopped/)
      yield* assertBooksWhole(sql)
    })
  )
})

describe("a runner that is killed in a call", () => {
  it.live(
    "leaves no client waiting: its connections are cut, and the same address is a runner again when it is started",
    () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const sql = yield* connect(databaseUrl)
        const place = { RUNNER_PORT: String(yield* freePort) }
        const doomed = yield* runner(databaseUrl, place)
        const stays = yield* runner(databaseUrl)
        yield* doomed.ready
        yield* stays.ready
        yield* eachOwnsAPart(sql, 2)
        doomed.signal("SIGKILL")
        yield* doomed.ended
        assert.isUndefined(yield* answered(doomed.api.get("/healthz")))
        const again = yield* runner(databaseUrl, place)
        yield* again.ready
        yield* eachOwnsAPart(sql, 2)
        const key = yield* newKey(again)
        const order = yield* newOrder(stays, { key, currency: "USD" })
        assert.strictEqual((yield* perform(again, "annotate", order)).status, 200)
      })
  )
})
