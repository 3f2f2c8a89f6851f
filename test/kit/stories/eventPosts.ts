/**
 * Counts webhook posts by event while a process dies. Asserts that each event arrived, and again only where it may.
 * An event may come twice if its first post could not be recorded: then the lease of that post ends by itself, and the
 * event is posted again (docs/architecture.md, section 5).
 */
import http from "node:http"
import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { run } from "../../webhooks/receiver.ts"
import { eventually } from "../Process.ts"
import { insertDeliveries } from "../rows/Rows.ts"
import { rounds } from "../run/soak.ts"

const destinations = 8

/** A soak waits for the last leases to end. Otherwise their ends are brought forward by as much as a lease lasts. */
const isPatient = rounds(0, 1) === 1
const lease = Duration.seconds(30)
/** The column with the end of the lease. A delivery that was never leased has its creation time there, or null. */
const leasedUntil = "leased_until"

/** By the event's id: until when it was leased, Unix milliseconds. */
type Leases = ReadonlyMap<string, number>

/** `arrived` is called for each post before it is answered, with how many there were. */
export const eventPosts = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, arrived: (count: number) => void) {
  /** By the event's id: when its posts were made, as their signatures say, whole seconds. */
  const events = new Map<string, Array<number>>()
  const seen: Array<Leases> = []
  let count = 0
  const server = http.createServer((request, response) => {
    request.resume().on("end", () => {
      const event = String(request.headers["x-service-event-id"])
      const at = Number(/t=(\d+)/.exec(String(request.headers["x-service-signature"]))?.[1])
      events.set(event, [...(events.get(event) ?? []), at])
      arrived(++count)
      response.end()
    })
  })
  const { port } = yield* run(server, "0.0.0.0")
  const host = `'127.0.0.' || 1 + n % ${destinations} || ':${port}'`
  const none = (what: string, condition: string) =>
    eventually(
      what,
      Effect.map(sql.unsafe(`select 1 from deliveries where ${condition} limit 1`), ({ length }) => length === 0)
    )

  return {
    count: () => count,

    /** Events that are due, written straight into the database. */
    insert: (merchantId: string, events: number) => insertDeliveries(sql, { merchantId, count: events }, host),

    /** To be called after a death: notes what was leased. */
    noteLeases: Effect.gen(function* () {
      const rows = yield* sql<{ event_id: string; until: number }>`
        select event_id, (extract(epoch from ${sql(leasedUntil)}) * 1000)::float8 as until from deliveries
        where status = 'pending' and ${sql(leasedUntil)} > created_at`
      seen.push(new Map(rows.map(({ event_id, until }) => [event_id, until])))
      // The connection may have died, too.
    }).pipe(Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 500 })),

    /** Waits for the deliveries, and asserts that all of these events arrived. How many came again. */
    assertArrived: Effect.fnUntraced(function* (expected: number) {
      yield* none("all that was not leased", `status = 'pending' and (${leasedUntil} > created_at) is not true`)
      const leased = seen.flatMap((leases) => [...leases.keys()])
      if (!isPatient) {
        yield* sql`update deliveries set ${sql(leasedUntil)} = ${sql(leasedUntil)}
          - make_interval(secs => ${Duration.toSeconds(lease)}) where status = 'pending' and event_id = any(${leased})`
      }
      yield* none("the rest", "status = 'pending'")
      assert.strictEqual(events.size, expected)
      const rows = yield* sql`select d.status, d.attempts, count(*)::int4 as count from deliveries d
        join delivery_attempts a on a.delivery_id = d.id group by 1, 2`
      assert.deepStrictEqual(rows, [{ status: "succeeded", attempts: 1, count: expected }])
      for (const [event, posts] of events) assertLeased(event, posts, seen)
      return count - expected
    })
  }
})

/** Each post but the first follows one that was leased when something died, and follows the end of that lease. */
const assertLeased = (event: string, posts: ReadonlyArray<number>, seen: ReadonlyArray<Leases>) => {
  for (const [index, again] of posts.slice(1).entries()) {
    const before = posts[index]! * 1_000
    const until = seen
      .map((leases) => leases.get(event) ?? 0)
      .find((end) => end > before && end - Duration.toMillis(lease) < before + 1_000)
    assert.isDefined(until, `${event} came again though nothing died while it was leased`)
    const ends = until! - (isPatient ? 0 : Duration.toMillis(lease))
    const message = `${event} came again before ${DateTime.formatIso(DateTime.makeUnsafe(ends))}`
    assert.isAbove((again + 1) * 1_000, ends, message)
  }
}
