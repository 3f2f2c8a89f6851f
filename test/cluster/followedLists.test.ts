/**
 * Writers work at three runners whose clocks are apart, and rows are locked meanwhile so that commits are slow. Readers
 * follow each list at any runner, and miss nothing (docs/decisions/0050).
 */
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { type Follower, lists, makeFollower, missedBy, newestOf } from "../kit/followers.ts"
import { answered, type Coffer, connect, liftQuotas, seeded } from "../kit/Process.ts"
import { freshDatabase } from "../kit/Service.ts"
import { rounds as roundsOf } from "../kit/soak.ts"
import { currencies, runner } from "../kit/TwoRunners.ts"

const rounds = Number(process.env["FOLLOWED_ROUNDS"] ?? roundsOf(1, 200))
const writers = Number(process.env["FOLLOWED_WRITERS"] ?? roundsOf(6, 12))
const turns = roundsOf(12, 4)
/** Rounds at once, each a merchant of its own: a list of API logs ends 12 s ago, and nothing else waits for that. */
const atOnce = 3
/** What has come is told after so many rounds. */
const toldEvery = 10
/** The limit is 300 s from Postgres' own clock. */
const aheadMillis = [0, 240_000, -240_000]
const lockedMillis = [50, 300, 1_500]
/** Between two looks of a reader. */
const restMillis = 200

type Draw = (limit: number) => number

const skewed = (databaseUrl: string, ahead: number) =>
  runner(databaseUrl, {
    NODE_OPTIONS: `--import=${path.resolve(import.meta.dirname, "../kit/clockAhead.mjs")}`,
    CLOCK_AHEAD_MILLIS: String(ahead)
  })

const deeds = ["expire", "link", "dispute", "refund", "pay", "pay"] as const
type Deed = (typeof deeds)[number]

/** What each list has, one after the other at any runner. */
const makeDo = (nodes: ReadonlyArray<Coffer>, draw: Draw, key: string) => {
  const post = (path: string, body: object) =>
    answered(Effect.suspend(() => nodes[draw(nodes.length)]!.api.post(path, key, body)))
  return Effect.fnUntraced(function* (deed: Deed, onOrder: (tradeNo: string) => Effect.Effect<void>) {
    const order = yield* post("/v1/orders", { amount: 1_000, currency: currencies[draw(3)]!, locale: "en" })
    const tradeNo = order?.body?.data?.trade_no
    if (tradeNo === undefined) return
    yield* onOrder(tradeNo)
    const pay = (body: object) => post(`/v1/test_helpers/orders/${tradeNo}/pay`, body)
    switch (deed) {
      case "expire":
        return yield* post(`/v1/orders/${tradeNo}/expire`, {})
      case "link":
        return yield* post("/v1/payment_links", { amount: 100 })
      case "dispute":
        yield* pay({ payment_method: "card" })
        return yield* post(`/v1/test_helpers/orders/${tradeNo}/dispute`, { amount: 10 })
      case "refund":
        yield* pay({ payment_method: "card" })
        return yield* post("/v1/refunds", { trade_no: tradeNo, amount: 10 })
      case "pay":
        return yield* pay({})
    }
  })
}

interface Cluster {
  readonly nodes: ReadonlyArray<Coffer>
  readonly sql: SqlClient.SqlClient
  /** Keeps an order's row from being written for so long. */
  readonly lock: (tradeNo: string, millis: number) => Effect.Effect<void>
}

/** Writers and readers of one new merchant. Returns how many rows of each list were followed. */
const round = Effect.fnUntraced(function* ({ lock, nodes, sql }: Cluster, number: number) {
  const draw = seeded(number)
  const first = nodes[0]!
  const { merchantId, sandboxKey: key } = yield* first.api.newMerchant()
  yield* liftQuotas(first.api, merchantId)
  const endpoint = yield* first.api.post("/v1/webhook_endpoints", key, { url: "http://127.0.0.1:9/hook" })
  assert.strictEqual(endpoint.status, 201, endpoint.text)
  // The first rows of each list, from which a reader can go on.
  const begin = makeDo([first], draw, key)
  for (const deed of ["dispute", "refund", "link"] as const) yield* begin(deed, () => Effect.void)

  const followers = yield* Effect.forEach(
    lists.flatMap((list) => (["ending_before", "created[gte]"] as const).map((by) => ({ list, by }))),
    ({ by, list }) => makeFollower(nodes, draw, key, list, by),
    { concurrency: "unbounded" }
  )
  const over = yield* Deferred.make<void>()
  const follow = Effect.fnUntraced(function* ({ last, list, look }: Follower) {
    const looking = Effect.andThen(look, Effect.sleep(restMillis))
    while (!(yield* Deferred.isDone(over))) yield* looking
    const newest = yield* newestOf(sql, merchantId, list)
    while (last() < newest) yield* looking
  })
  const act = makeDo(nodes, draw, key)
  const lockSome = (tradeNo: string) =>
    draw(4) === 0 ? lock(tradeNo, lockedMillis[draw(lockedMillis.length)]!) : Effect.void
  const write = Effect.suspend(() => act(deeds[draw(deeds.length)]!, lockSome)).pipe(
    Effect.repeat({ times: turns - 1 })
  )
  const writing = Effect.andThen(
    Effect.all(
      Array.from({ length: writers }, () => write),
      { concurrency: "unbounded", discard: true }
    ),
    Deferred.succeed(over, undefined)
  )
  yield* Effect.all([writing, Effect.forEach(followers, follow, { concurrency: "unbounded" })], {
    concurrency: "unbounded"
  })
  for (const follower of followers) {
    const missed = yield* missedBy(sql, merchantId, follower)
    assert.deepStrictEqual(missed, [], `round ${number}: ${follower.name}, of ${follower.seen.size}`)
  }
  return followers.map(({ name, seen }) => [name, seen.size] as const)
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
      const cluster = { nodes, sql, lock }

      const since = performance.now()
      const followed = new Map<string, number>()
      let done = 0
      const tell = Effect.fnUntraced(function* (rows: ReadonlyArray<readonly [name: string, seen: number]>) {
        for (const [name, seen] of rows) followed.set(name, (followed.get(name) ?? 0) + seen)
        if (++done % toldEvery !== 0 && done !== rounds) return
        const written = yield* Effect.forEach(lists, ({ path, table }) =>
          Effect.map(sql<{ count: string }>`select count(*) from ${sql(table)}`, ([row]) => `${path} ${row!.count}`)
        )
        const seconds = Math.round((performance.now() - since) / 1_000)
        console.log(`${done} of ${rounds} rounds in ${seconds} s. Written: ${written.join(", ")}`)
        console.log(`Followed: ${[...followed].map(([name, seen]) => `${name} ${seen}`).join(", ")}`)
      })
      const all = Array.from({ length: rounds }).keys()
      yield* Effect.forEach(all, (number) => Effect.flatMap(round(cluster, number), tell), {
        concurrency: atOnce,
        discard: true
      })
      for (const [name, seen] of followed) assert.isAtLeast(seen, rounds, `rows that were followed: ${name}`)
    })
)
