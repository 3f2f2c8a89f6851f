/** Places that clients hold and lose, by counting; the time is given (silences: U12, U19). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Building from "../../src/shared/http/Building.ts"
import { addressParty } from "../../src/shared/http/addressParty.ts"
import { type CutReason, make, rateMin } from "../../src/shared/http/Holdings.ts"
import type { Visit } from "../../src/shared/http/Admission.ts"

const limits = { bytesMax: 100, bytesOfOneMax: 40, graceMillis: 10_000 }

type Whose = Pick<Visit, "group" | "party">
const sandbox = (party: string): Whose => ({ group: "sandbox", party })
const live = (party: string): Whose => ({ group: "live", party })

const holdings = () => {
  const all = make(limits, () => undefined)
  const cuts: Array<string> = []
  /** A client that holds so much, and whether it is waited for. */
  const hold = (name: string, whose: Whose, bytes: number, isWaiting = true) => {
    const client = { moved: 0, isWaiting }
    const holding = all.open(whose, {
      isWaiting: () => client.isWaiting,
      moved: () => client.moved,
      cut: (reason: CutReason) => void cuts.push(`${name} ${reason}`)
    })
    return { client, holding, isIn: all.add(holding, bytes) }
  }
  return { ...all, cuts, hold }
}

describe("memory that clients hold", () => {
  it("lets every newcomer in: above the limit the party that holds most loses", () => {
    const { cuts, hold } = holdings()
    for (const [name, bytes] of [
      ["a", 30],
      ["b", 40],
      ["c", 25]
    ] as const) {
      hold(name, sandbox(name), bytes)
    }
    assert.isTrue(hold("d", sandbox("d"), 30).isIn)
    assert.deepStrictEqual(cuts, ["b room"])
  })

  it("takes it from sandboxes and from the public before it takes it from live parties", () => {
    const { cuts, hold } = holdings()
    for (const name of ["a", "b"]) hold(`live ${name}`, live(name), 40)
    hold("public", { group: "public", party: "192.0.2.1" }, 5)
    hold("sandbox", sandbox("a"), 10)
    assert.isTrue(hold("another", live("c"), 30).isIn)
    assert.deepStrictEqual(cuts, ["sandbox room", "public room", "live a room"])
  })

  it("of a party the client that is furthest behind the least rate loses", () => {
    const { cuts, hold, look } = holdings()
    const fast = hold("fast", sandbox("a"), 20)
    hold("slow", sandbox("a"), 15)
    fast.client.moved += rateMin * 5_000
    look(5_000)
    assert.isTrue(hold("more", sandbox("a"), 15).isIn)
    assert.deepStrictEqual(cuts, ["slow room"])
  })

  it("leaves answers alone that only we are working on, and refuses a party that holds everything", () => {
    const { cuts, hold } = holdings()
    for (const name of ["a", "b", "c"]) hold(name, sandbox(name), 33, false)
    assert.isTrue(hold("newcomer", sandbox("d"), 10).isIn)
    assert.isFalse(hold("more", sandbox("a"), 7).isIn)
    assert.deepStrictEqual(cuts, ["more room"])
  })

  it("cuts off a client that stays below the least rate, and none that keeps to it", () => {
    const { cuts, hold, look } = holdings()
    const steady = hold("steady", sandbox("a"), 10)
    hold("slow", sandbox("b"), 10)
    hold("in work", sandbox("c"), 10, false)
    for (let second = 0; second < 60; second++) {
      steady.client.moved += rateMin * 1_000
      look(1_000)
    }
    assert.deepStrictEqual(cuts, ["slow slow"])
  })

  it("is given back once", () => {
    const { close, hold, of } = holdings()
    const { holding } = hold("a", sandbox("a"), 30)
    close(holding)
    close(holding)
    assert.strictEqual(of(sandbox("a")), 0)
    assert.isTrue(hold("b", sandbox("a"), 40).isIn)
  })
})

/** Requests for so many objects, and which of them have begun. */
const building = (mayBegin: (whose: Whose) => boolean = () => true) => {
  const { give, serve, take } = Building.make(mayBegin)
  const begun: Array<string> = []
  const ask = (name: string, whose: Whose, rows: number) =>
    Effect.runFork(take(whose, rows, () => void begun.push(name)))
  return { ask, begun, give, serve }
}

describe("answers with many objects", () => {
  it("of one party are made a few at a time, in their order, and keep no other party waiting", () => {
    const { ask, begun, give } = building()
    for (const name of ["1", "2", "3", "4"]) ask(name, sandbox("a"), 100)
    ask("other", sandbox("b"), 100)
    assert.deepStrictEqual(begun, ["1", "2", "other"])
    give(sandbox("a"), 100)
    assert.deepStrictEqual(begun, ["1", "2", "other", "3"])
  })

  it("of all parties together have a limit, and live ones come first", () => {
    const { ask, begun, give } = building()
    for (let index = 0; index < 6; index++) ask(`${index}`, sandbox(`m${index}`), 100)
    ask("sandbox", sandbox("a"), 100)
    ask("live", live("a"), 100)
    assert.strictEqual(begun.length, 6)
    give(sandbox("m0"), 100)
    assert.strictEqual(begun.at(-1), "live")
    give(sandbox("m1"), 100)
    assert.strictEqual(begun.at(-1), "sandbox")
  })

  it("wait while their party has not read what it was answered before", () => {
    let hasRead = false
    const { ask, begun, serve } = building(({ party }) => party !== "a" || hasRead)
    ask("unread", sandbox("a"), 20)
    ask("other", sandbox("b"), 20)
    assert.deepStrictEqual(begun, ["other"])
    hasRead = true
    serve()
    assert.deepStrictEqual(begun, ["other", "unread"])
  })

  it.effect("leave their line when their client leaves", () =>
    Effect.gen(function* () {
      const { ask, begun, give } = building()
      ask("1", sandbox("a"), 200)
      const left = ask("2", sandbox("a"), 200)
      ask("3", sandbox("a"), 100)
      yield* Fiber.interrupt(left)
      give(sandbox("a"), 200)
      assert.deepStrictEqual(begun, ["1", "3"])
    })
  )
})

describe("an address", () => {
  it("is one party with all others of its /64", () => {
    assert.strictEqual(addressParty("2001:db8:1:2::7"), addressParty("2001:db8:1:2:ffff::1"))
    assert.notStrictEqual(addressParty("2001:db8:1:2::7"), addressParty("2001:db8:1:3::7"))
    assert.strictEqual(addressParty("192.0.2.1"), "192.0.2.1")
    assert.strictEqual(addressParty(""), "")
  })
})
