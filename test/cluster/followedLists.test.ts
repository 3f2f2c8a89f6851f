/**
 * Writers work at three runners whose clocks are apart, and rows are locked meanwhile so that commits are slow. Readers
 * follow each list at any runner, and miss nothing (docs/decisions/0050).
 */
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { lists, makeFollower, missedBy, newestOf } from "../kit/followers.ts"
import { answered, type Coffer, connect, liftQuotas, seeded } from "../kit/Process.ts"
import { freshDatabase } from "../kit/Service.ts"
import { rounds as roundsOf } from "../kit/soak.ts"
import { currencies, runner } from "../kit/TwoRunners.ts"

const rounds = Number(process.env["FOLLOWED_ROUNDS"] ?? roundsOf(1, 200))
const writers = Number(process.env["FOLLOWED_WRITERS"] ?? roundsOf(6, 12))
const turns = 12
/** The limit is 300 s from Postgres' own clock. */
const aheadMillis = [0, 240_000, -240_000]
const lockedMillis = [50, 300, 1_500]

const skewed = (databaseUrl: string, ahead: number) =>
  runner(databaseUrl, {
    NODE_OPTIONS: `--import=${path.resolve(import.meta.dirname, "../kit/clockAhead.mjs")}`,
    CLOCK_AHEAD_MILLIS: String(ahead)
  })

/** One after the other at any runner: what each list has, in all currencies. */
const write = Effect.fnUntraced(function* (
  nodes: ReadonlyArray<Coffer>,
  draw: (limit: number) => number,
  key: string,
  lock: (tradeNo: string, millis: number) => Effect.Effect<void>
) {
  const post = (path: string, body: object) =>
    answered(Effect.suspend(() => nodes[draw(nodes.length)]!.api.post(path, key, body)))
  for (let turn = 0; turn < turns; turn++) {
    const order = yield* post("/v1/orders", { amount: 1_000, currency: currencies[draw(3)]!, locale: "en" })
    const tradeNo = order?.body?.data?.trade_no
    if (tradeNo === undefined) continue
    if (draw(4) === 0) yield* lock(tradeNo, lockedMillis[draw(lockedMillis.length)]!)
    switch (draw(6)) {
      case 0:
        yield* post(`/v1/orders/${tradeNo}/expire`, {})
        break
      case 1:
        yield* post("/v1/payment_links", { amount: 100 })
        break
      case 2:
        yield* post(`/v1/test_helpers/orders/${tradeNo}/pay`, { payment_method: "card" })
        yield* post(`/v1/test_helpers/orders/${tradeNo}/dispute`, { amount: 10 })
        break
      case 3:
        yield* post(`/v1/test_helpers/orders/${tradeNo}/pay`, { payment_method: "card" })
        yield* post("/v1/refunds", { trade_no: tradeNo, amount: 10 })
        break
      default:
        yield* post(`/v1/test_helpers/orders/${tradeNo}/pay`, {})
    }
  }
})

it.live(
  `${writers} writers at three runners whose clocks are apart: in ${rounds} rounds readers of each list miss no row`,
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const sql = yield* connect(databaseUrl)
      // Of its own: what looks at the rows does not wait for a lock.
      const locker = yield* connect(databaseUrl, writers)
      const nodes = yield* Effect.forEach(aheadMillis, (ahead) => skewed(databaseUrl, ahead))
      for (const { ready } of nodes) yield* ready

      const lock = Effect.fnUntraced(function* (tradeNo: string, millis: number) {
        const held = locker`select 1 from orders where trade_no = ${tradeNo} for update`.pipe(
          Effect.andThen(Effect.sleep(millis)),
          locker.withTransaction,
          Effect.ignore
        )
        yield* Effect.forkDetach(held, { startImmediately: true })
      })

      for (let round = 0; round < rounds; round++) {
        const draw = seeded(round)
        const { merchantId, sandboxKey: key } = yield* nodes[0]!.api.newMerchant()
        yield* liftQuotas(nodes[0]!.api, merchantId)
        const endpoint = yield* nodes[0]!.api.post("/v1/webhook_endpoints", key, { url: "http://127.0.0.1:9/hook" })
        assert.strictEqual(endpoint.status, 201, endpoint.text)

        const over = yield* Deferred.make<void>()
        // The first rows of each list, from which a reader can go on.
        yield* write(
          [nodes[0]!],
          (limit) => (limit === 6 ? 2 : limit - 1),
          key,
          () => Effect.void
        )
        yield* write(
          [nodes[0]!],
          (limit) => (limit === 6 ? 3 : limit - 1),
          key,
          () => Effect.void
        )
        yield* nodes[0]!.api.post("/v1/payment_links", key, { amount: 100 })
        const followers = yield* Effect.all([
          ...lists.map((list) => makeFollower(nodes, draw, key, list, "ending_before")),
          ...lists.map((list) => makeFollower(nodes, draw, key, list, "created[gte]"))
        ])
        const following = yield* Effect.forkChild(
          Effect.forEach(
            followers,
            Effect.fnUntraced(function* ({ last, list, look }) {
              const looking = Effect.andThen(look, Effect.sleep("50 millis"))
              while (!(yield* Deferred.isDone(over))) yield* looking
              const newest = yield* newestOf(sql, merchantId, list)
              while (last() < newest) yield* looking
            }),
            { concurrency: "unbounded", discard: true }
          )
        )
        yield* Effect.forEach(Array.from({ length: writers }).keys(), () => write(nodes, draw, key, lock), {
          concurrency: "unbounded",
          discard: true
        })
        yield* Deferred.succeed(over, undefined)
        yield* Fiber.join(following)
        for (const follower of followers) {
          const missed = yield* missedBy(sql, merchantId, follower)
          assert.deepStrictEqual(missed, [], `round ${round}: ${follower.name}, of ${follower.seen.size}`)
        }
      }
    })
)
