/**
 * Which webhooks delay which (docs/decisions/0016). Real servers on loopback, some of which never answer; the
 * service's clock is stopped, so a post that hangs hangs until the test moves the clock.
 */
import http from "node:http"
import { placesOf, placesPerLine } from "@coffer/rules/delivery/places"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, type Duration, Effect, Layer, Queue, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { Wakeups } from "../../src/platform/commit/Wakeups.ts"
import { receiver } from "../kit/Receiver.ts"
import { insertDeliveries } from "../kit/rows/Rows.ts"
import { freshDatabase, type Running, start } from "../kit/Service.ts"
import { run } from "./receiver.ts"

/** Answers `/hook` and nothing else; listens on every loopback address, so that it acts as many hosts. */
const halfDead = Effect.gen(function* () {
  const hung = yield* Queue.unbounded<string>()
  const answered = yield* Queue.unbounded<string>()
  let hanging = 0
  const server = yield* run(
    http.createServer((request, response) => {
      request.resume().on("end", () => {
        const address = `http://${request.headers.host}${request.url}`
        if (request.url === "/hook") {
          response.end(() => Queue.offerUnsafe(answered, address))
          return
        }
        hanging++
        request.socket.once("close", () => hanging--)
        Queue.offerUnsafe(hung, address)
      })
    }),
    "0.0.0.0"
  )
  return { port: server.port, answered: Queue.take(answered), hung, hanging: () => hanging }
})

/** SQL for 60,000 different hosts, one for each number from 1. */
const hostOf = (port: number) => `'127.1.' || n / 250 || '.' || 1 + n % 250 || ':${port}'`

/** A paid order of a new merchant, whose event goes to this address. */
const notified = Effect.fnUntraced(function* ({ api }: Running, notifyUrl: string) {
  const merchant = yield* api.newMerchant("Another", "default")
  yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1000, out_trade_no: "1", notify_url: notifyUrl })
  yield* api.post("/v1/test_helpers/orders/1/pay", merchant.sandboxKey, {})
  return merchant
})

/** Waits until at least so many posts hang. */
const hang = ({ hung }: { readonly hung: Queue.Queue<string> }, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => Queue.take(hung), { discard: true })

const wait = (running: Running, duration: Duration.Input) =>
  Effect.provideContext(TestClock.adjust(duration), running.context)

describe("webhooks", () => {
  it.live("of one merchant do not wait for another's thousand hosts that hang", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dead = yield* halfDead
      const own = yield* receiver
      yield* insertDeliveries(running.sql, { merchantId: running.merchant.merchantId, count: 1_000 }, hostOf(dead.port))
      // This one's delivery wakes the worker, which finds the thousand earlier ones.
      yield* notified(running, `http://127.0.0.1:${dead.port}/first`)
      yield* hang(dead, 20)
      yield* notified(running, own.url)
      yield* own.next
      assert.isAtLeast(dead.hanging(), 20)
    })
  )

  it.live("of one merchant do not wait for another's to the same host and port, when only the other's path hangs", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dead = yield* halfDead
      const host = `'127.0.0.1:${dead.port}'`
      yield* insertDeliveries(running.sql, { merchantId: running.merchant.merchantId, count: 100 }, host)
      yield* notified(running, `http://127.0.0.1:${dead.port}/first`)
      yield* hang(dead, 2)
      yield* notified(running, `http://127.0.0.1:${dead.port}/hook`)
      yield* dead.answered
      assert.isAtLeast(dead.hanging(), 2)
    })
  )

  it.live("of one host that answers do not wait for thirty hosts of the same merchant that hang", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dead = yield* halfDead
      const { merchantId } = running.merchant
      yield* insertDeliveries(running.sql, { merchantId, count: 2_000 }, `'127.0.1.' || 1 + n % 30 || ':${dead.port}'`)
      yield* insertDeliveries(running.sql, { merchantId, count: 20 }, `'127.0.0.9:${dead.port}'`, "/hook")
      yield* notified(running, `http://127.0.0.1:${dead.port}/hook`)
      yield* Effect.replicateEffect(dead.answered, 21)
      yield* hang(dead, 30)
      // As many as new lines of one merchant may have, and no more.
      assert.isAtMost(dead.hanging(), placesOf.new / 2)
    })
  )

  it.live("in live are attempted while every place of the sandbox hangs", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dead = yield* halfDead
      const { api, sql } = running
      for (let made = 0; made < 80; made++) {
        const { merchantId } = yield* api.newMerchant(`Merchant ${made}`, "default")
        yield* insertDeliveries(sql, { merchantId, count: 10 }, hostOf(dead.port))
      }
      yield* notified(running, `http://127.0.0.1:${dead.port}/first`)
      // As many as there are places for new lines: all of them.
      yield* hang(dead, placesOf.new)

      const { liveKey, merchantId } = running.merchant
      yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true, live_currencies: ["USD"] })
      yield* api.post("/v1/orders", liveKey, { amount: 100, out_trade_no: "1", notify_url: "https://shop.example/" })
      // The API takes no such address in live: an attempt to reach it ends at once, and is recorded.
      yield* sql`update orders set notify_url = 'https://127.0.0.1/' where merchant_id = ${merchantId} and mode = 'live'`
      yield* api.post("/v1/orders/1/expire", liveKey)
      const attempts = sql`select a.failure from deliveries d join delivery_attempts a on a.delivery_id = d.id
        where d.merchant_id = ${merchantId} and d.mode = 'live'`
      const seen = yield* Effect.repeat(attempts, { until: ({ length }) => length > 0 })
      assert.match(String(seen[0]!["failure"]), /^refused_address/)
      assert.strictEqual(dead.hanging(), placesOf.new)
    })
  )

  it.live("to a host of which nothing is known leave places to another new host of the same merchant", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dead = yield* halfDead
      const { api, merchant, sql } = running
      const host = `'127.0.0.1:${dead.port}'`
      yield* insertDeliveries(sql, { merchantId: merchant.merchantId, count: 300 }, host)
      yield* notified(running, `http://127.0.0.1:${dead.port}/first`)
      yield* hang(dead, placesPerLine)
      const other = yield* receiver
      const order = { amount: 1000, out_trade_no: "1", notify_url: other.url }
      yield* api.post("/v1/orders", merchant.sandboxKey, order)
      yield* api.post("/v1/test_helpers/orders/1/pay", merchant.sandboxKey, {})
      yield* other.next
      assert.isAtMost(dead.hanging(), placesPerLine + 1)
    })
  )

  it.live("to a host that hung are tried one at a time, until it answers again", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dead = yield* halfDead
      const host = `'127.0.0.1:${dead.port}'`
      const { merchantId } = running.merchant
      yield* insertDeliveries(running.sql, { merchantId, count: 1 }, host, "/hook")
      const other = yield* receiver
      yield* notified(running, other.url)
      yield* other.next
      // It has answered once, so it may use all its places.
      yield* dead.answered
      yield* running.atRest
      yield* insertDeliveries(running.sql, { merchantId, count: 100 }, host)
      yield* notified(running, other.url)
      yield* other.next
      yield* hang(dead, placesPerLine)
      assert.strictEqual(dead.hanging(), placesPerLine)

      // All of them timed out, before anything else is begun.
      yield* wait(running, "10 seconds")
      yield* Queue.take(dead.hung)
      yield* notified(running, other.url)
      yield* other.next
      assert.strictEqual(dead.hanging(), 1)
    })
  )

  it.live("that wait for a place of a host that hangs are given back after five seconds", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dead = yield* halfDead
      const { merchant, sql } = running
      const host = `'127.0.0.1:${dead.port}'`
      yield* insertDeliveries(sql, { merchantId: merchant.merchantId, count: 1 }, host, "/hook")
      const wakeups = Context.get(running.context as Context.Context<Wakeups>, Wakeups)
      wakeups.raise("deliveries")
      yield* dead.answered
      yield* running.atRest
      yield* insertDeliveries(sql, { merchantId: merchant.merchantId, count: 1_000 }, host)
      wakeups.raise("deliveries")
      yield* hang(dead, placesPerLine)
      const leases = sql`select leased_until as until, count(*)::int4 from deliveries where leased_until is not null
        group by until order by until`.pipe(Effect.map((rows) => rows.map(({ count }) => count)))
      // The posts under way, and as many that wait.
      yield* Effect.repeat(leases, { until: ([count]) => count === 2 * placesPerLine })
      yield* wait(running, "5 seconds")
      // It may have been busy when the clock moved, and its next sleep would not end.
      wakeups.raise("deliveries")
      // A row that was given back is leased again: it is due, and no other runner was there to take it.
      yield* Effect.repeat(leases, { until: ([first, second]) => first === placesPerLine && second === placesPerLine })
      assert.strictEqual(dead.hanging(), placesPerLine)
    })
  )

  it.live("that waited too long for their signature are not begun before their lease ends", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const running = yield* start({ clock: "test", database })
      const { api, atRest } = running
      const hook = yield* receiver
      const { merchantId } = yield* api.newMerchant("Not in any cache", "default")
      // Connections of the test's own: a statement of the service behind a blocked one would wait too.
      const own = yield* Layer.build(Postgres.layer({ url: Redacted.make(database), connections: 2, name: "test" }))
      const sql = Context.get(own, SqlClient.SqlClient)
      yield* insertDeliveries(sql, { merchantId, count: 1 }, `'${new URL(hook.url).host}'`)
      const [locked, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const lock = sql`lock table merchants`.pipe(
        Effect.andThen(Deferred.succeed(locked, undefined)),
        Effect.andThen(Deferred.await(release))
      )
      yield* Effect.forkScoped(sql.withTransaction(lock))
      yield* Deferred.await(locked)
      Context.get(running.context as Context.Context<Wakeups>, Wakeups).raise("deliveries")
      const claimed = sql`select from deliveries where merchant_id = ${merchantId} and leased_until is not null`
      yield* Effect.repeat(claimed, { until: ({ length }) => length > 0 })

      // Twenty-one seconds of its lease of thirty are over; an attempt may take ten.
      yield* wait(running, "21 seconds")
      yield* Deferred.succeed(release, undefined)
      yield* atRest
      assert.deepStrictEqual(hook.all, [])
      yield* wait(running, "9 seconds")
      yield* hook.next
      yield* atRest
      assert.strictEqual(hook.all.length, 1)
    })
  )
})
