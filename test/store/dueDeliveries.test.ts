/** How due deliveries are found and leased when there are many (docs/decisions/0016). */
import type { DueLine } from "@coffer/rules/delivery/places"
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { DeliveryStore } from "../../src/webhooks/deliveries/DeliveryStore.ts"
import { makeDueLines } from "../../src/webhooks/deliveries/DeliveryJobs.ts"
import { patiently } from "../../src/platform/runtime/patience.ts"
import { explained, rowsRead, scansIn } from "../kit/rows/plans.ts"
import { insertDeliveries } from "../kit/rows/Rows.ts"
import { ownersConnection, type Running, start } from "../kit/Service.ts"

const now = DateTime.makeUnsafe(60_000)
const notYet = DateTime.makeUnsafe(-1)
const large = 20_000
const merchants = 400
const idOf = (index: number) => `mer_${String(index).padStart(26, "0")}`

class Service extends Context.Service<Service, Running>()("test/dueDeliveries") {}

/** One merchant has most: two hosts with a backlog, and a delivery each for 150 others. It is the first by id. */
const place = Effect.gen(function* () {
  // Its clock is stopped, so the service's own worker sleeps and takes nothing.
  const running = yield* start({ clock: "test" })
  yield* running.atRest
  const { sql } = running
  yield* insertDeliveries(sql, { merchantId: idOf(0), count: large }, "'dead-' || n % 2 || '.example'")
  yield* insertDeliveries(sql, { merchantId: idOf(0), count: 150 }, "'host-' || n || '.example'", "/other")
  for (let index = 1; index <= merchants; index++) {
    yield* insertDeliveries(sql, { merchantId: idOf(index), count: 2 }, "'shop.example'")
  }
  // Most of them have nothing due.
  yield* sql`update deliveries set next_attempt_at = to_timestamp(7200)
    where merchant_id > ${idOf(0)} and right(merchant_id, 1) <> '7'`
  yield* (yield* ownersConnection(running.database)).unsafe("vacuum analyze deliveries")
  return running
}).pipe(patiently("5 minutes"))

const storeOf = ({ context }: Running) => Context.get(context as Context.Context<DeliveryStore>, DeliveryStore)

/** Everything due, for a reader who takes nothing. */
const shown = Effect.fnUntraced(function* (rounds: number) {
  const dueLines = makeDueLines(storeOf(yield* Service))
  const found = new Map<string, DueLine>()
  for (let round = 0; round < rounds; round++) {
    yield* dueLines.offer(["live", "sandbox"], now, (due) =>
      Effect.sync(() => {
        for (const line of due) found.set(`${line.merchantId} ${line.destination}`, line)
        return []
      })
    )
  }
  return [...found.values()]
})

/** Rows of deliveries that its statements read from the table or its indexes. */
const read = Effect.fnUntraced(function* <A>(effect: Effect.Effect<A>) {
  const { sql } = yield* Service
  const { plans } = yield* Effect.orDie(explained(sql, effect))
  const scans = scansIn(plans).filter((node) => node["Relation Name"] === "deliveries")
  assert.isFalse(
    scans.some((node) => node["Node Type"] === "Seq Scan"),
    JSON.stringify(plans)
  )
  return rowsRead(scans)
})

layer(Layer.effect(Service, place), { excludeTestServices: true })(
  "of 20,000 due deliveries of one merchant and a few of 400 others",
  (it) => {
    it.effect("one look shows exactly the merchants with something due", () =>
      Effect.gen(function* () {
        const found = yield* shown(1)
        const expected = Array.from({ length: merchants + 1 }, (_, index) => index).filter((index) => index % 10 === 7)
        assert.deepStrictEqual(
          [...new Set(found.map(({ merchantId }) => merchantId))].toSorted(),
          [0, ...expected].map(idOf)
        )
      })
    )

    it.effect("a few looks show every destination of a merchant that has very many", () =>
      Effect.gen(function* () {
        const found = (yield* shown(3)).filter(({ merchantId }) => merchantId === idOf(0))
        assert.strictEqual(new Set(found.map(({ destination }) => destination)).size, 152)
      })
    )

    it.effect("a step reads what it may show, whatever lies behind it", () =>
      Effect.gen(function* () {
        const store = storeOf(yield* Service)
        const begin = { mode: "sandbox", merchantId: "", destinations: new Map<string, string>() } as const
        assert.isAtMost(yield* read(store.oldest(now)), 512)
        // 256 merchants; 64 destinations of the first, two of them with 8 rows that count; 25 others with 2 rows.
        assert.isAtMost(yield* read(store.walk(now, begin)), 256 + 2 * 64 + 2 * 8 + 25 * 3)
      })
    )

    it.effect("a claim takes what it was told to and reads no more", () =>
      Effect.gen(function* () {
        const running = yield* Service
        const store = storeOf(running)
        const lines = [0, 7].flatMap((index) =>
          ["dead-0.example", "shop.example"].map((destination) => ({
            mode: "sandbox" as const,
            merchantId: idOf(index),
            destination,
            places: 3
          }))
        )
        assert.strictEqual(yield* read(store.lease({ now: notYet, unmoved: notYet, leaseUntil: now, lines })), 0)
        const claimed = yield* store.lease({ now, unmoved: now, leaseUntil: DateTime.makeUnsafe(90_000), lines })
        assert.deepStrictEqual(
          claimed.map(({ destination, merchant_id }) => `${merchant_id} ${destination}`).toSorted(),
          [...Array<string>(3).fill(`${idOf(0)} dead-0.example`), ...Array<string>(2).fill(`${idOf(7)} shop.example`)]
        )
      })
    )

    it.effect("a released row is due immediately, and a lease that another runner has taken is kept", () =>
      Effect.gen(function* () {
        const store = storeOf(yield* Service)
        const line = { mode: "sandbox" as const, merchantId: idOf(17), destination: "shop.example", places: 8 }
        const lease = (leaseUntil: DateTime.Utc) => store.lease({ now, unmoved: now, leaseUntil, lines: [line] })
        const leaseUntil = DateTime.makeUnsafe(90_000)
        const leases = (yield* lease(leaseUntil)).map((delivery) => ({ delivery, leaseUntil }))
        assert.strictEqual(leases.length, 2)
        yield* store.giveBack([{ ...leases[0]!, leaseUntil: DateTime.makeUnsafe(89_999) }, leases[1]!])
        assert.deepStrictEqual(
          (yield* lease(leaseUntil)).map(({ id }) => id),
          [leases[1]!.delivery.id]
        )
      })
    )
  }
)
