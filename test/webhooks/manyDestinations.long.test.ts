/**
 * Very many events to many destinations of which three in ten fail, each in its own way (spec: Events, Delivery;
 * docs/decisions/0016). The events are written straight into the database: 100,000 orders by HTTP would take an hour.
 *
 * The service's clock is stopped until the test moves it. So a post that hangs holds its place until the test
 * releases it, and posts that arrive before that have not waited for it.
 */
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Wakeups } from "../../src/platform/commit/Wakeups.ts"
import { insertDeliveries } from "../kit/rows/Rows.ts"
import { ownersConnection, type Running, start } from "../kit/Service.ts"
import { rounds } from "../kit/run/soak.ts"
import { type Conduct, manyReceivers } from "./manyReceivers.ts"

const merchants = 10
/** Destinations of each merchant. Three of them fail. */
const destinations = 10
const eventsEach = rounds(20, 1_000)
const eventsOfMerchant = destinations * eventsEach

/** Merchant 3's destinations are `127.3.0.1` to `127.3.0.10`. */
const hostOf = (merchant: number) => `'127.${merchant}.0.' || 1 + n % ${destinations}`

type Kind = "hangs" | "errors" | "comes back" | "healthy"
const failing: ReadonlyArray<Kind> = ["hangs", "errors", "comes back"]
const kindOf = (host: string): Kind => failing[Number(host.split(".")[3]) - 1] ?? "healthy"

/** The first push and six redeliveries. */
const attemptsMax = 7
const comesBackAfter = 3

const conduct = (host: string, nth: number): Conduct => {
  switch (kindOf(host)) {
    case "hangs":
      return "hangs"
    case "errors":
      return 500
    case "comes back":
      return nth < comesBackAfter ? "resets" : 204
    case "healthy":
      return 200
  }
}

/** How the posts of one event were answered, at the end. */
const expected: Readonly<Record<Kind, ReadonlyArray<Conduct>>> = {
  hangs: Array<Conduct>(attemptsMax).fill(503),
  errors: Array<Conduct>(attemptsMax).fill(500),
  "comes back": ["resets", "resets", "resets", 204],
  healthy: [200]
}

/** Deliveries by their outcome, and whether the clock had moved at their last attempt. */
const outcomes = ({ sql }: Running) =>
  Effect.map(
    sql<{ host: string; status: string; attempts: number; late: boolean; count: number }>`
      select split_part(destination, ':', 1) as host, status, attempts, at > to_timestamp(0) as late,
        count(*)::int4 as count
      from deliveries d join delivery_attempts a on a.delivery_id = d.id and a.attempt = d.attempts
      group by 1, 2, 3, 4`,
    (rows) => {
      const found: Record<string, number> = {}
      for (const { attempts, count, host, late, status } of rows) {
        const what = `${kindOf(host)}: ${status} after ${attempts}, ${late ? "later" : "at once"}`
        found[what] = (found[what] ?? 0) + count
      }
      return found
    }
  )

it.live(
  "webhooks to many destinations, three in ten failing: none is missed, sent after success, or delayed by others",
  () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const { api, context, pass, sql } = running
      const receivers = yield* manyReceivers(conduct)
      for (let merchant = 1; merchant <= merchants; merchant++) {
        const { merchantId } = yield* api.newMerchant(`Merchant ${merchant}`)
        yield* insertDeliveries(
          sql,
          { merchantId, count: eventsOfMerchant },
          `${hostOf(merchant)} || ':${receivers.port}'`
        )
      }
      yield* (yield* ownersConnection(running.database))`analyze deliveries, events`
      Context.get(context as Context.Context<Wakeups>, Wakeups).raise("deliveries")

      // All of the healthy ones, while time is stopped and every post that hung still hangs.
      const healthy = destinations - failing.length
      yield* receivers.delivered(merchants * healthy * eventsEach)
      assert.isAtLeast(receivers.held(), merchants)
      receivers.release(503)
      yield* pass("1 day")

      assert.strictEqual(receivers.events.size, merchants * eventsOfMerchant)
      for (const [event, { answers, host }] of receivers.events) {
        const answered = answers.map((answer) => (answer === "hangs" ? 503 : answer))
        assert.deepStrictEqual(answered, expected[kindOf(host)], `${event} to ${host}`)
      }
      const each = merchants * eventsEach
      assert.deepStrictEqual(yield* outcomes(running), {
        [`hangs: failed after ${attemptsMax}, later`]: each,
        [`errors: failed after ${attemptsMax}, later`]: each,
        [`comes back: succeeded after ${comesBackAfter + 1}, later`]: each,
        "healthy: succeeded after 1, at once": healthy * each
      })
      const recorded = yield* sql`select count(*)::int4 as count from delivery_attempts`
      assert.deepStrictEqual(recorded, [{ count: (2 * attemptsMax + comesBackAfter + 1 + healthy) * each }])
    })
)
