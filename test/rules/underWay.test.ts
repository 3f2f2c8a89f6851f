/** A runner's knowledge of its posts: how many are under way, how lines behave, and which of them fail for long. */
import { keysOf, lineKey, type Line, mayTake, placesOf, placesPerLine } from "@coffer/rules/delivery/places"
import { assert, describe, it } from "@effect/vitest"
import { makePlacesInUse } from "../../src/webhooks/deliveries/beginDeliveries.ts"
import { makeFailingDestinations } from "../../src/webhooks/deliveries/DeliveryMetrics.ts"

const lineOf = (destination: string, mode: Line["mode"] = "live"): Line => ({ mode, merchantId: "m", destination })
const line = lineOf("x 1")
const minute = 60_000
const hour = 60 * minute

describe("requests in flight", () => {
  it("are counted for their room, merchant, host and line, and forgotten when they have ended", () => {
    const places = makePlacesInUse()
    const keys = keysOf(line, "new")
    places.take(keys)
    places.take(keys)
    places.take(keysOf(lineOf("x 1", "sandbox"), "answers"))
    assert.deepStrictEqual(
      keys.map((key) => places.taken.get(key)),
      [2, 2, 2, 2]
    )
    assert.strictEqual(places.posts(), 3)
    places.free(keys)
    assert.deepStrictEqual(
      keys.map((key) => places.taken.get(key)),
      [1, 1, 1, 1]
    )
    places.free(keys)
    assert.isFalse(keys.some((key) => places.taken.has(key)))
    assert.strictEqual(places.posts(), 1)
  })

  it("leave a place free in a mode until each of its rooms is full", () => {
    const places = makePlacesInUse()
    for (const standing of ["answers", "new", "hung"] as const) {
      assert.isTrue(places.hasFreePlace("live"), standing)
      for (let post = 0; post < placesOf[standing]; post++) places.take(keysOf(line, standing))
    }
    assert.isFalse(places.hasFreePlace("live"))
    assert.isTrue(places.hasFreePlace("sandbox"))
    places.free(keysOf(line, "hung"))
    assert.isTrue(places.hasFreePlace("live"))
  })

  it("teach how many a line may have: one after a post that hung, and twice as many after each answer", () => {
    const places = makePlacesInUse()
    places.learn(line, { isAnswered: false, millis: 10_000 })
    assert.strictEqual(places.limits.get(lineKey(line)), 1)
    assert.deepStrictEqual(mayTake(line, places), keysOf(line, "hung"))
    places.learn(line, { isAnswered: true, millis: 1 })
    assert.strictEqual(places.limits.get(lineKey(line)), 2)
  })

  it("teach it of 4,096 lines, and of those heard of last", () => {
    const places = makePlacesInUse()
    const learn = (n: number) => places.learn(lineOf(`x ${n}`), { isAnswered: true, millis: 1 })
    for (let n = 0; n < 4_096; n++) learn(n)
    learn(0)
    assert.strictEqual(places.limits.size, 4_096)
    learn(4_096)
    const isKnown = (n: number) => places.limits.get(lineKey(lineOf(`x ${n}`))) === placesPerLine
    assert.strictEqual(places.limits.size, 4_096)
    assert.deepStrictEqual([0, 1, 2, 4_096].map(isKnown), [true, false, true, true])
    // One that is known takes no other's place.
    learn(7)
    assert.deepStrictEqual([2, 7].map(isKnown), [true, true])
  })
})

describe("a destination that fails", () => {
  it("is reported when it has failed for an hour, with the time of its first failure, and once in each hour", () => {
    const { failed } = makeFailingDestinations()
    const told = [0, hour - 1, hour, hour + 1, 2 * hour - 1, 2 * hour].map((at) => failed(line, minute + at))
    assert.deepStrictEqual(told, [undefined, undefined, minute, undefined, undefined, minute])
  })

  it("starts over after a success", () => {
    const failing = makeFailingDestinations()
    failing.failed(line, 0)
    failing.succeeded(line)
    assert.isUndefined(failing.failed(line, hour))
    assert.strictEqual(failing.failed(line, 2 * hour), hour)
  })

  it("counts from an hour on, and no more once nothing was tried for seven hours", () => {
    const failing = makeFailingDestinations()
    failing.failed(line, 0)
    failing.failed(lineOf("x 2"), minute)
    assert.deepStrictEqual([hour - 1, hour, hour + minute].map(failing.count), [0, 1, 2])
    assert.deepStrictEqual([7 * hour, 7 * hour + 1].map(failing.count), [2, 1])
    assert.isUndefined(failing.failed(line, 7 * hour + 1))
  })

  it("is one of 4,096: then the one that began first is forgotten", () => {
    const failing = makeFailingDestinations()
    for (let n = 0; n < 4_096; n++) failing.failed(lineOf(`x ${n}`), 0)
    failing.failed(lineOf("x 0"), 1)
    assert.strictEqual(failing.count(hour), 4_096)
    failing.failed(lineOf("x 4096"), hour)
    assert.strictEqual(failing.count(hour), 4_095)
    assert.isUndefined(failing.failed(lineOf("x 0"), hour))
  })
})
