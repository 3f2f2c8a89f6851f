/** How places for posts are shared out (docs/decisions/0016). */
import {
  allot,
  allotBoth,
  type DueLine,
  keysOf,
  limitAfter,
  type Line,
  lineKey,
  mayTake,
  placesOf,
  placesPerLine,
  type Standing,
  standingOf,
  standings,
  sumOf,
  waitingOf
} from "@coffer/rules/delivery/places"
import { destinationOf, hostOf } from "@coffer/rules/delivery/route"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const due = (merchantId: string, destination: string, count = 1_000, mode: Line["mode"] = "sandbox"): DueLine => ({
  mode,
  merchantId,
  destination,
  due: count
})
const hosts = (merchantId: string, count: number, each = 1_000) =>
  Array.from({ length: count }, (_, index) => due(merchantId, `${merchantId}-${index}.example`, each))

type Held = readonly [line: Line, posts: number, standing?: Standing]
const taken = (...lines: ReadonlyArray<Held>) => {
  const counts = new Map<string, number>()
  for (const [line, posts, standing = "new"] of lines) {
    for (const key of keysOf(line, standing)) counts.set(key, (counts.get(key) ?? 0) + posts)
  }
  return counts
}
const none = { taken: taken(), limits: new Map<string, number>() }
const limited = (limit: number, ...lines: ReadonlyArray<Line>) => new Map(lines.map((line) => [lineKey(line), limit]))
const hung = (...lines: ReadonlyArray<Line>) => limited(1, ...lines)
/** Lines that answer. */
const known = (...lines: ReadonlyArray<Line>) => limited(placesPerLine, ...lines)
const answered = (millis: number) => ({ isAnswered: true, millis })
const silent = (millis: number) => ({ isAnswered: false, millis })

const byMerchant = (allotted: ReturnType<typeof allot>) => {
  const sums: Record<string, number> = {}
  for (const { merchantId, places } of allotted) sums[merchantId] = (sums[merchantId] ?? 0) + places
  return sums
}

describe("places", () => {
  it("no line gets more than its due deliveries, nor more than its places", () => {
    const lines = [due("a", "x", 3), due("a", "y")]
    assert.deepStrictEqual(
      allot(lines, { ...none, limits: known(...lines) }).map(({ places }) => places),
      [3, placesPerLine]
    )
  })

  it("two addresses on one host and port are two lines, whatever differs after the host, and have one host", () => {
    const urls = ["/a", "/b", "/a?x=1", "/a?x=2"].map((rest) => destinationOf(`https://hooks.example:8443${rest}`))
    assert.strictEqual(new Set(urls).size, urls.length)
    assert.deepStrictEqual([...new Set(urls.map(hostOf))], ["hooks.example:8443"])
    assert.strictEqual(hostOf("hooks.example"), "hooks.example")
    const long = destinationOf(`https://hooks.example/${"x".repeat(2_000)}`)
    assert.isAtMost(long.length, "hooks.example".length + 8)
  })

  it("a line that hangs takes no place of another on the same host", () => {
    const [dead, alive, other] = ["x 1", "x 2", "x 3"].map((destination) => due("a", destination))
    const held = taken([dead!, 1, "hung"], [other!, 32, "new"])
    const limits = new Map([...hung(dead!), ...known(alive!)])
    assert.deepStrictEqual(
      allot([dead!, alive!], { limits, taken: held }).map(({ destination, places }) => [destination, places]),
      [["x 2", placesPerLine]]
    )
  })

  it("a new line gets as many as one that answers, and every line that has none finds some beside it", () => {
    const line = due("a", "x 1")
    assert.deepStrictEqual(
      allot([line], none).map(({ places }) => places),
      [placesPerLine]
    )
    const held = taken([line, placesPerLine])
    for (const other of [due("a", "x 2"), due("a", "y 1"), due("b", "x 1")]) {
      assert.isAtLeast(allot([line, other], { ...none, taken: held }).at(-1)!.places, 7, lineKey(other))
    }
  })

  it("thirty new lines that hang leave places for their merchant's others", () => {
    const lines = hosts("a", 30)
    const held = taken(...lines.map((line) => [line, 2] as const))
    const alive = due("a", "alive")
    assert.deepStrictEqual(byMerchant(allot([...lines, alive], { ...none, taken: held })), { a: 3 })
    assert.deepStrictEqual(
      allot([...lines, alive], { limits: known(alive), taken: held }).at(-1)!.places,
      placesPerLine
    )
  })

  it("one merchant alone gets half of a room, and a third where it has one host", () => {
    assert.deepStrictEqual(byMerchant(allot(hosts("a", 1_000), none)), { a: placesOf.new / 2 })
    const paths = Array.from({ length: 1_000 }, (_, path) => due("a", `x ${path}`))
    assert.deepStrictEqual(byMerchant(allot(paths, none)), { a: Math.ceil(placesOf.new / 3) })
  })

  it("two merchants get as many as each other, and a third of all is left", () => {
    assert.deepStrictEqual(byMerchant(allot([...hosts("a", 1_000), ...hosts("b", 50)], none)), { a: 43, b: 43 })
  })

  it("who holds none gets one, also where another merchant could take all that is free", () => {
    const held = taken([due("a", "x"), 8], [due("b", "x"), placesOf.new - 9])
    const allotted = allot([...hosts("a", 100), due("c", "x")], { ...none, taken: held })
    assert.deepStrictEqual(byMerchant(allotted), { c: 1 })
  })

  it("live and sandbox have places of their own", () => {
    const held = taken([due("a", "x"), placesOf.new])
    const allotted = allot([due("b", "x"), due("a", "x", 2, "live")], { ...none, taken: held })
    assert.deepStrictEqual(
      allotted.map(({ merchantId, mode, places }) => [mode, merchantId, places]),
      [["live", "a", 2]]
    )
  })

  it("a line that hung gets no more than its limit, and what is under way since before counts", () => {
    const line = due("a", "x")
    assert.deepStrictEqual(allot([line], { ...none, limits: hung(line) })[0]?.places, 1)
    assert.deepStrictEqual(allot([line], { limits: hung(line), taken: taken([line, 1, "answers"]) }), [])
  })

  it("lines that hung leave their merchant's others all other places", () => {
    const dead = hosts("a", 1_000)
    const limits = hung(...dead)
    assert.deepStrictEqual(byMerchant(allot(dead, { ...none, limits })), { a: placesOf.hung / 2 })
    const [alive, fresh] = [due("a", "alive"), due("a", "fresh")]
    const heard = new Map([...limits, ...known(alive)])
    const held = taken([due("a", "other"), placesOf.hung, "hung"])
    assert.deepStrictEqual(
      allot([...dead, alive, fresh], { limits: heard, taken: held }).map(({ destination, places }) => [
        destination,
        places
      ]),
      [
        ["alive", placesPerLine],
        ["fresh", placesPerLine]
      ]
    )
  })

  it("an answer within ten seconds changes nothing, and a post without one halves a line's places, down to one", () => {
    const after = (...posts: ReadonlyArray<number>) =>
      posts.reduce((limit, millis) => limitAfter(limit, silent(millis)), placesPerLine)
    assert.deepStrictEqual([after(10_000), after(10_000, 10_000), after(...Array(9).fill(10_000))], [16, 8, 1])
    for (const millis of [0, 4_999, 5_000, 9_999]) {
      assert.strictEqual(limitAfter(placesPerLine, answered(millis)), placesPerLine)
      assert.strictEqual(limitAfter(undefined, answered(millis)), placesPerLine)
    }
    // A post that is refused at once holds no place.
    assert.deepStrictEqual([limitAfter(undefined, silent(3)), limitAfter(8, silent(3))], [placesPerLine, 9])
    assert.strictEqual(limitAfter(undefined, silent(10_000)), 1)
  })

  it("a line that hung answers again after three answers, and has all its places after some more", () => {
    const limits: Array<number> = []
    for (let limit = 1; limit < placesPerLine; limits.push(limit)) limit = limitAfter(limit, answered(9_000))
    assert.deepStrictEqual(limits.slice(0, 5), [2, 4, 8, 9, 10])
    assert.strictEqual(limits.length, 3 + placesPerLine - 8)
  })

  it("a line hangs while it may have fewer than eight posts under way, and is new while nothing is known of it", () => {
    assert.deepStrictEqual([undefined, 1, 7, 8, placesPerLine].map(standingOf), [
      "new",
      "hung",
      "hung",
      "answers",
      "answers"
    ])
    assert.deepStrictEqual([...standings], ["answers", "new", "hung"])
  })

  it("there are 448 in each mode, and 256 to wait in", () => {
    assert.deepStrictEqual([sumOf(placesOf), sumOf(waitingOf)], [448, 256])
  })

  it("a post without an answer hung if it took five seconds", () => {
    assert.deepStrictEqual(
      [4_999, 5_000].map((millis) => limitAfter(undefined, silent(millis))),
      [placesPerLine, 1]
    )
  })

  it("a delivery waits beside requests in flight of a line that is not known to answer", () => {
    const line = due("a", "x 1")
    const begun = new Map([[lineKey(line), placesPerLine - 1]])
    const waits = (waiting: number, limits: ReadonlyMap<string, number>) =>
      mayTake(line, { limits, begun, rooms: waitingOf, taken: new Map([[lineKey(line), waiting]]) }) !== undefined
    assert.deepStrictEqual([waits(0, new Map()), waits(1, new Map())], [true, false])
    assert.deepStrictEqual([waits(1, known(line)), waits(placesPerLine, known(line))], [true, false])
  })

  it("what may not begin now may wait, each line with the sum of both, and a line with neither is left out", () => {
    const [many, few, idle] = [due("a", "x 1", 50), due("b", "x 1", 3), due("c", "x 1", 0)]
    const waiting = { ...none, rooms: waitingOf }
    assert.deepStrictEqual(allotBoth([many, idle, few], none, waiting), [
      { mode: "sandbox", merchantId: "a", destination: "x 1", places: placesPerLine + 12 },
      { mode: "sandbox", merchantId: "b", destination: "x 1", places: 3 }
    ])
  })

  const line = fc.record<DueLine>({
    mode: fc.constantFrom("live", "sandbox"),
    merchantId: fc.constantFrom("a", "b", "c", "d"),
    destination: fc.constantFrom("x 1", "x 2", "y 1"),
    due: fc.integer({ min: 1, max: 50 })
  })
  const lines = fc.uniqueArray(line, { selector: lineKey })

  it("never hands out more than there are, and each line with something due and without a place gets one", () => {
    fc.assert(
      fc.property(lines, lines, fc.array(line), (asking, holding, dead) => {
        const limits = hung(...dead)
        const standing = (one: Line) => (limits.has(lineKey(one)) ? "hung" : "new")
        const held = taken(...holding.map((one) => [one, one.due % 9, standing(one)] as const))
        const allotted = allot(asking, { taken: held, limits })
        const after = new Map(held)
        for (const { places, ...one } of allotted) {
          for (const key of keysOf(one, standing(one))) after.set(key, (after.get(key) ?? 0) + places)
        }
        for (const mode of ["live", "sandbox"] as const) {
          for (const room of standings) {
            const before = held.get(`${mode} ${room}`) ?? 0
            assert.isAtMost(after.get(`${mode} ${room}`) ?? 0, Math.max(before, placesOf[room]))
            if (before > placesOf[room] - 12) continue
            for (const one of asking.filter((asked) => asked.mode === mode && standing(asked) === room)) {
              const [, merchant] = keysOf(one, room)
              if (!held.has(merchant)) assert.isAtLeast(after.get(merchant) ?? 0, 1)
            }
          }
        }
      })
    )
  })
})
