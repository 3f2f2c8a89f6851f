/** One merchant whose lists are followed while others write, and what the readers have missed in the end. */
import { assert } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { type Follower, lists, makeFollower, missedBy, newestOf } from "./followers.ts"
import { answered, type Coffer, liftQuotas, seeded } from "../Process.ts"
import { allAtOnce, currencies } from "../runners/TwoRunners.ts"

/** Between two looks of a reader. */
const restMillis = 200

const deeds = ["expire", "link", "dispute", "refund", "pay", "pay"] as const
type Deed = (typeof deeds)[number]

/** An act that each list has, one after the other at any runner. */
const makeDo = (nodes: ReadonlyArray<Coffer>, draw: (limit: number) => number, key: string) => {
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

interface Round {
  readonly nodes: ReadonlyArray<Coffer>
  readonly sql: SqlClient.SqlClient
  readonly seed: number
  readonly writers: number
  /** How often each of them acts at least. They go on until `meanwhile` is over. */
  readonly turns: number
  readonly meanwhile?: Effect.Effect<void>
  /** A chance to keep an order's row from being written. */
  readonly onOrder: (tradeNo: string, draw: (limit: number) => number) => Effect.Effect<void>
}

/** Returns how many rows of each list were followed. */
export const followedRound = Effect.fnUntraced(function* (round: Round) {
  const { meanwhile = Effect.void, nodes, onOrder, seed, sql, turns, writers } = round
  const draw = seeded(seed)
  const first = nodes[0]!
  const { merchantId, sandboxKey: key } = yield* first.api.newMerchant()
  yield* liftQuotas(first.api, merchantId)
  const endpoint = yield* first.api.post("/v1/webhook_endpoints", key, { url: "http://127.0.0.1:9/hook" })
  assert.strictEqual(endpoint.status, 201, endpoint.text)
  const doAtFirst = makeDo([first], draw, key)
  const oneOfEach = Effect.forEach(["dispute", "refund", "link"] as const, (deed) => doAtFirst(deed, () => Effect.void))
  // The first rows of each list, from which a reader can go on.
  yield* oneOfEach

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
  const disturbed = yield* Deferred.make<void>()
  const write = Effect.gen(function* () {
    for (let turn = 0; turn < turns || !(yield* Deferred.isDone(disturbed)); turn++) {
      yield* act(deeds[draw(deeds.length)]!, (tradeNo) => onOrder(tradeNo, draw))
    }
  })
  // Rows of each list come last, whatever the others have drawn and a fault has kept from them.
  const writing = Effect.andThen(
    Effect.forEach(Array.from({ length: writers }), () => write, allAtOnce),
    oneOfEach
  )
  yield* Effect.all(
    [
      Effect.andThen(meanwhile, Deferred.succeed(disturbed, undefined)),
      Effect.andThen(writing, Deferred.succeed(over, undefined)),
      Effect.forEach(followers, follow, allAtOnce)
    ],
    allAtOnce
  )
  for (const follower of followers) {
    const missed = yield* missedBy(sql, merchantId, follower)
    assert.deepStrictEqual(missed, [], `round ${seed}: ${follower.name}, of ${follower.seen.size}`)
  }
  return followers.map(({ name, seen }) => [name, seen.size] as const)
})
