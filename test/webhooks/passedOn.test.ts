/**
 * New deliveries that their runner has no place for (docs/decisions/0016): two services on one database, whose workers
 * do not poll within the test. Rows are inserted, and one of them is announced, as after a commit of its own:
 * which runner commits a payment depends on which runner owns its objects.
 */
import http from "node:http"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Queue } from "effect"
import { type Wakeup, Wakeups } from "../../src/platform/commit/Wakeups.ts"
import { placesOf } from "@coffer/rules/delivery/places"
import { eventually } from "../kit/Process.ts"
import { receiver } from "../kit/Receiver.ts"
import { insertDeliveries } from "../kit/rows/Rows.ts"
import { asRunner, freshDatabase, type Running, start } from "../kit/Service.ts"
import { run } from "./receiver.ts"

/** Reports when a post has begun, and never answers. */
const deaf = Effect.gen(function* () {
  const hung = yield* Queue.unbounded<void>()
  const listener = http.createServer((request) => request.resume().on("end", () => Queue.offerUnsafe(hung, undefined)))
  const { port } = yield* run(listener)
  return { host: `127.0.0.1:${port}`, hang: Effect.asVoid(Queue.take(hung)) }
})

const wakeupsOf = ({ context }: Running) => Context.get(context as Context.Context<Wakeups>, Wakeups)

/** The signals that a service gets: whether it has committed that work itself. */
const heardBy = Effect.fnUntraced(function* (running: Running, signal: Wakeup) {
  const heard = yield* Queue.unbounded<boolean>()
  yield* wakeupsOf(running).onRaise(signal, (isOwn) => Queue.offerUnsafe(heard, isOwn))
  return heard
})

const pair = Effect.gen(function* () {
  const database = yield* freshDatabase
  const one = yield* start({ database, env: { ...(yield* asRunner), WORKER_POLL: "1 hour" } })
  const other = yield* start({ database, env: { ...(yield* asRunner), WORKER_POLL: "1 hour" } })
  const [heard, marks] = [yield* heardBy(other, "deliveries"), yield* heardBy(other, "refunds")]
  /** Comes after all that was passed on before. */
  const mark = eventually(
    "a word of the other runner",
    Effect.gen(function* () {
      wakeupsOf(one).pass("refunds")
      return (yield* Queue.size(marks)) > 0
    })
  )
  yield* mark
  yield* one.atRest
  yield* other.atRest
  yield* Queue.clear(marks)
  return { one, other, heard, mark }
})

/** A delivery of a new merchant to each host, of which the service is notified. */
const committed = Effect.fnUntraced(function* (running: Running, ...hosts: ReadonlyArray<string>) {
  yield* Effect.forEach(hosts, (host) =>
    Effect.flatMap(running.api.newMerchant(`Merchant of ${host}`, "default"), ({ merchantId }) =>
      insertDeliveries(running.sql, { merchantId, count: 1 }, `'${host}'`)
    )
  )
  wakeupsOf(running).raise("deliveries")
})

it.live("a new event whose runner has no place for it is delivered by another runner, which has not looked", () =>
  Effect.gen(function* () {
    const { heard, one, other } = yield* pair
    // As many hosts as there are places for unknown ones.
    const dead = yield* Effect.replicateEffect(deaf, placesOf.new)
    yield* committed(one, ...dead.map(({ host }) => host))
    yield* Effect.forEach(dead, ({ hang }) => hang)
    yield* other.atRest
    yield* Queue.clear(heard)

    const hook = yield* receiver
    yield* committed(one, new URL(hook.url).host)
    assert.isFalse(yield* Queue.take(heard))
    yield* hook.next
  })
)

it.live("a new event that its runner has a place for is no other runner's business", () =>
  Effect.gen(function* () {
    const { heard, mark, one } = yield* pair
    const hook = yield* receiver
    yield* committed(one, new URL(hook.url).host)
    yield* hook.next
    yield* one.atRest
    yield* mark
    assert.strictEqual(yield* Queue.size(heard), 0)
  })
)
