/** Postgres is restarted under three runners: nobody is refused, no shard moves, and what they log. */
import { loadavg } from "node:os"
import { setTimeout as pause } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { addressOf, app, leftOut, named, newServer, postgresFolder, superuser } from "../kit/servers/PostgresPair.ts"
import { assertBooksWhole, connect } from "../kit/Process.ts"
import { rounds } from "../kit/run/soak.ts"
import { eachOwnsAPart, newOrders, newWallets } from "../kit/runners/threeRunners.ts"
import { perform, runner } from "../kit/runners/TwoRunners.ts"

const restarts = rounds(1, 20)
/** How long Postgres is away, seconds, and how long it is watched afterwards. */
const [awaySeconds, watchedSeconds] = [Number(process.env["AWAY_SECONDS"] ?? 1), 8]

const quantile = (numbers: ReadonlyArray<number>, share: number) =>
  numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length * share) - 1] ?? 0

describe.skipIf(leftOut)(named("three runners whose Postgres is started again"), () => {
  it.live(`${restarts} times: no write and no read is refused, no shard moves, and each runner logs two lines`, () =>
    Effect.gen(function* () {
      const server = yield* newServer(yield* postgresFolder, "one")
      const url = addressOf([server], app)
      const nodes = yield* Effect.replicateEffect(
        runner(url, { MIGRATION_DATABASE_URL: addressOf([server], superuser) }),
        3
      )
      for (const { ready } of nodes) yield* ready
      const superAddress = addressOf([server], superuser)
      const spread = Effect.scoped(Effect.flatMap(connect(superAddress), (sql) => eachOwnsAPart(sql, 3)))
      const orders = yield* newOrders(nodes[0]!, yield* newWallets(nodes[0]!, 8), 24)
      const seconds: Array<number> = []
      const told: Array<string> = []
      let [sent, failed, moved] = [0, 0, 0]
      for (let restart = 0; restart < restarts; restart++) {
        const before = yield* spread
        const said = nodes.map(({ said: { stderr } }) => stderr.length)
        const load = { isOver: false }
        let [lastFailed, backAt] = [0, Infinity]
        const clients = orders.map(async (order, index) => {
          for (let call = index; !load.isOver; call++) {
            const node = nodes[call % 3]!
            const { status } = await Effect.runPromise(
              call % 4 === 0
                ? node.api.get(`/v1/orders/${order.tradeNo}`, order.key)
                : perform(node, "annotate", order, `n${call % 10}`)
            )
            sent++
            assert.include([200, 503], status)
            if (status === 503) {
              failed++
              lastFailed = performance.now()
            }
            await pause(100)
          }
        })
        yield* server.stop("fast")
        yield* Effect.sleep(awaySeconds * 1_000)
        yield* server.start
        backAt = performance.now()
        yield* Effect.sleep(watchedSeconds * 1_000)
        load.isOver = true
        yield* Effect.promise(() => Promise.all(clients))
        seconds.push(Math.max(0, lastFailed - backAt) / 1_000)
        const after = yield* spread
        moved += [...before].filter(([shard, pid]) => after.get(shard) !== pid).length
        for (const [
          index,
          {
            said: { stderr }
          }
        ] of nodes.entries()) {
          const lines = stderr.slice(said[index]).trim().split("\n")
          if (lines.length !== 2) told.push(...lines.map((line) => `restart ${restart}: ${line.slice(0, 400)}`))
        }
      }
      console.log(
        JSON.stringify({
          restarts,
          awaySeconds,
          sent,
          failed,
          moved,
          lastFailed: { p50: quantile(seconds, 0.5), p99: quantile(seconds, 0.99) },
          load: loadavg()[0]
        })
      )
      assert.strictEqual(failed, 0, "requests that were refused")
      assert.strictEqual(moved, 0)
      assert.deepStrictEqual(told, [], "what runners with more or fewer than two lines said")
      yield* assertBooksWhole(yield* connect(superAddress))
    })
  )
})
