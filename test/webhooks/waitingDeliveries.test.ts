/** Deliveries that are leased and wait for a place (docs/decisions/0016): whose turn it is, and for how long. */
import { placesOf, placesPerLine } from "@coffer/rules/delivery/places"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option } from "effect"
import { makeWaiting } from "../../src/webhooks/deliveries/beginDeliveries.ts"
import type { LeasedDelivery } from "../../src/webhooks/deliveries/deliveryResults.ts"

const leasedAt = (seconds: number) => DateTime.makeUnsafe(seconds * 1_000 + 30_000)

const one = (merchantId: string, destination: string, id = "", seconds = 0) => ({
  delivery: { id, merchant_id: merchantId, mode: "live", destination } as LeasedDelivery,
  line: { mode: "live" as const, merchantId, destination },
  leaseUntil: leasedAt(seconds)
})

const quick = new Map(["a", "b"].flatMap((m) => ["x", "y"].map((d) => [`live ${m} ${d}`, placesPerLine] as const)))
const free = { taken: new Map<string, number>(), limits: quick }
const waitingFor = (...all: ReadonlyArray<ReturnType<typeof one>>) => {
  const waiting = makeWaiting<ReturnType<typeof one>>()
  for (const each of all) waiting.add(each, free)
  return waiting
}
const destinations = (waiting: ReturnType<typeof waitingFor>, places = free) => {
  const taken: Array<string> = []
  for (let next = waiting.next("live", places); next !== undefined; next = waiting.next("live", places)) {
    taken.push(next.keys[3])
  }
  return taken
}

describe("deliveries that wait for a place", () => {
  it("are begun in turn: one of each merchant, and of a merchant one of each destination", () => {
    const waiting = waitingFor(one("a", "x"), one("a", "x"), one("a", "x"), one("a", "y"), one("b", "x"))
    assert.deepStrictEqual(destinations(waiting), ["live a x", "live b x", "live a y", "live a x", "live a x"])
  })

  it("of a merchant that comes again wait behind those of others who were there before", () => {
    const waiting = waitingFor(one("a", "x"))
    assert.deepStrictEqual(destinations(waiting), ["live a x"])
    for (const each of [one("b", "x"), one("a", "x")]) waiting.add(each, free)
    assert.deepStrictEqual(destinations(waiting), ["live b x", "live a x"])
  })

  it("wait while their destination or their merchant has all its places, and others pass them", () => {
    const all = [one("a", "x"), one("b", "y")]
    const full = { limits: quick, taken: new Map([["live a x", placesPerLine]]) }
    assert.deepStrictEqual(destinations(waitingFor(...all), full), ["live b y"])
    const greedy = {
      limits: quick,
      taken: new Map(Object.entries({ "live answers": placesOf.answers - 5, "live answers a": 5 }))
    }
    assert.deepStrictEqual(destinations(waitingFor(...all), greedy), ["live b y"])
  })

  it("are given back after five seconds, and not before", () => {
    const waiting = waitingFor(one("a", "x", "first"), one("a", "x", "second", 1))
    assert.deepStrictEqual(waiting.nextOverdue(), Option.some(DateTime.makeUnsafe(5_000)))
    assert.deepStrictEqual(waiting.takeOverdue(DateTime.makeUnsafe(4_999)), [])
    const [given] = waiting.takeOverdue(DateTime.makeUnsafe(5_000))
    assert.strictEqual(given?.delivery.id, "first")
    assert.strictEqual(waiting.takeOverdue().length, 1)
    assert.deepStrictEqual(waiting.nextOverdue(), Option.none())
    assert.isEmpty(waiting.room(free).taken)
  })
})
