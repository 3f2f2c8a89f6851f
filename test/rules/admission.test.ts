/** What is let in and what is shed, by counting; the loop's delay is given (silences: U12). */
import { assert, describe, it } from "@effect/vitest"
import {
  bytesMax,
  bytesOfOneMax,
  delayMax,
  type AdmissionGroup,
  groupShares,
  make,
  roomMax,
  roomMin,
  unreadMax,
  unreadOfOneMax,
  type Visit,
  writesPerRead
} from "../../src/http/Admission.ts"

const admission = () => {
  const shed: Array<string> = []
  const { enter: enterBy, hold, leave, owe, tick } = make((kind) => shed.push(kind))
  const enter = (party: string, kind: Visit["kind"] & string, group: AdmissionGroup = "merchants") =>
    enterBy(group, party, kind)
  /** So many at once; those that were let in. */
  const arrive = (count: number, ...[party, kind = "reads", group]: Parameters<typeof enter> | [string]) =>
    Array.from({ length: count }, () => enter(party, kind, group)).filter((visit) => visit !== undefined)
  return { shed, enter, enterBy, hold, leave, owe, tick, arrive }
}

describe("answers that nobody reads", () => {
  it("keep their merchant from asking for more until they are read or the connection is gone, and nobody else", () => {
    const { enter, leave, owe } = admission()
    const slow = enter("a", "reads")!
    owe(slow, unreadOfOneMax + 1)
    assert.isUndefined(enter("a", "reads"))
    assert.isUndefined(enter("a", "writes"))
    assert.isDefined(enter("b", "reads"))
    leave(slow)
    assert.isDefined(enter("a", "reads"))
  })

  it("of all merchants together are bounded", () => {
    const { enter, leave, owe } = admission()
    const all = ["a", "b", "c", "d", "e"].map((merchant) => enter(merchant, "reads")!)
    for (const visit of all) owe(visit, unreadMax / 5 + 1)
    assert.isUndefined(enter("f", "reads"))
    leave(all[0]!)
    assert.isDefined(enter("f", "reads"))
  })
})

describe("of requests that come at once", () => {
  it("5,000 reads of one merchant are let in up to the room, and the others are shed", () => {
    const { arrive, leave, shed } = admission()
    const inside = arrive(5_000, "a")
    assert.strictEqual(inside.length, roomMax)
    assert.strictEqual(shed.length, 5_000 - roomMax)
    for (const visit of inside) leave(visit)
    assert.strictEqual(arrive(5_000, "a").length, roomMax, "the room is free again")
  })

  it("the reads of who holds most are shed, and another merchant comes in", () => {
    const { arrive, enter, leave } = admission()
    const most = arrive(roomMax, "a")
    assert.strictEqual(arrive(1_000, "b").length, roomMax / 2, "an equal share")
    assert.isUndefined(enter("a", "reads"))
    for (const visit of most.slice(roomMax / 2)) leave(visit)
    assert.isUndefined(enter("a", "reads"), "that is an equal share")
    leave(most[0]!)
    assert.isDefined(enter("a", "reads"))
  })

  it("those that wait to be begun count as if they were in work", () => {
    const { arrive, enterBy, shed } = admission()
    assert.isUndefined(enterBy("merchants", "a", "reads", roomMax))
    assert.isDefined(enterBy("merchants", "a", "reads", roomMax - 1))
    assert.isUndefined(enterBy("merchants", "a", "reads", roomMax - 1))
    assert.isUndefined(enterBy("merchants", "a", "writes", writesPerRead * roomMax))
    assert.deepStrictEqual(shed, ["reads", "reads", "writes"])
    assert.strictEqual(arrive(5_000, "a").length, roomMax - 1, "of what waits nothing is held")
  })

  it("each merchant has one read at least, up to twice the room in all", () => {
    const { enter } = admission()
    const inside = Array.from({ length: 3 * roomMax }, (_, index) => enter(`m${index}`, "reads"))
    assert.strictEqual(inside.filter((visit) => visit !== undefined).length, 2 * roomMax)
  })

  it("writes come in while reads are shed, and are shed last", () => {
    const { arrive, shed } = admission()
    arrive(5_000, "a")
    const before = shed.length
    assert.strictEqual(arrive(writesPerRead * roomMax, "a", "writes").length, writesPerRead * roomMax)
    assert.strictEqual(shed.length, before)
  })

  it("the writes of who has most of them in work are shed, and another merchant's write comes in", () => {
    const { arrive, enter, leave } = admission()
    const most = arrive(5_000, "a", "writes")
    assert.strictEqual(most.length, writesPerRead * roomMax)
    assert.isDefined(enter("b", "writes"))
    for (const visit of most.slice(0, most.length / 2)) leave(visit)
    assert.isUndefined(enter("a", "writes"), "an equal share")
    assert.isDefined(enter("b", "writes"))
  })

  it("what the public and the operator ask for has room of its own, by address, and keeps no merchant out", () => {
    const { arrive, enter, shed } = admission()
    for (const group of ["public", "operator"] as const) {
      for (const kind of ["reads", "writes"] as const) {
        const room = groupShares[group] * roomMax * (kind === "writes" ? writesPerRead : 1)
        assert.strictEqual(arrive(5_000, "a", kind, group).length, room)
        assert.isDefined(enter("b", kind, group), "another address")
        assert.strictEqual(arrive(5_000, "c", kind, group).length, Math.ceil(room / 3))
      }
    }
    assert.deepStrictEqual([...new Set(shed)], ["public", "operator"])
    assert.strictEqual(arrive(5_000, "a").length, roomMax)
    assert.strictEqual(arrive(5_000, "a", "writes").length, writesPerRead * roomMax)
  })

  it("an export takes the room of sixteen reads", () => {
    const { arrive, enter } = admission()
    assert.strictEqual(arrive(5_000, "a", "csv").length, roomMax / 16)
    assert.isUndefined(enter("a", "reads"))
    assert.isDefined(enter("b", "csv"))
  })
})

describe("a loop that is late", () => {
  it("halves the room for reads at each look, down to a least, and it grows again when the loop is on time", () => {
    const { arrive, leave, tick } = admission()
    const room = () => {
      const inside = arrive(5_000, "a")
      for (const visit of inside) leave(visit)
      return inside.length
    }
    const rooms = [room()]
    for (const delay of [delayMax, delayMax + 1, delayMax + 1, 10_000, 10_000, 0, 0, -5]) {
      tick(delay)
      rooms.push(room())
    }
    assert.deepStrictEqual(rooms, [512, 512, 256, roomMin, roomMin, roomMin, 320, 384, 448])
  })
})

describe("bytes of bodies", () => {
  it("are held up to a limit in all and for each merchant, and are free again when the request ends", () => {
    const { enter, hold, leave, shed } = admission()
    const visits = ["a", "b", "c", "d", "e"].map((merchant) => enter(merchant, "writes")!)
    const [first, second, third, fourth, fifth] = visits as [Visit, Visit, Visit, Visit, Visit]
    assert.isFalse(hold(first, bytesOfOneMax + 1))
    for (const visit of [first, second, third, fourth]) assert.isTrue(hold(visit, bytesMax / 4))
    assert.isFalse(hold(enter("a", "writes")!, 1))
    assert.isFalse(hold(fifth, 1))
    leave(second)
    assert.isTrue(hold(fifth, bytesMax / 4))
    assert.deepStrictEqual(shed, ["body", "body", "body"])
  })
})
