/** The requests that are let in and those that are shed, by counting; the loop's delay is given (silences: U12). */
import { assert, describe, it } from "@effect/vitest"
import {
  delayMax,
  type AdmissionGroup,
  groupShares,
  make,
  newcomerRooms,
  roomMax,
  roomMin,
  rowsPerRead,
  type Visit,
  writesPerRead
} from "../../src/shared/http/Admission.ts"

const admission = () => {
  const shed: Array<string> = []
  const { enter: enterBy, move, tick } = make((kind) => shed.push(kind))
  const leave = (visit: Visit) => move(visit, "left")
  const pause = (visit: Visit) => move(visit, "paused")
  const goOn = (visit: Visit) => move(visit, "in")
  const enter = (party: string, kind: Visit["kind"], group: AdmissionGroup = "sandbox") =>
    enterBy({ group, party, kind })
  /** So many at once; those that were let in. */
  const arrive = (count: number, ...[party, kind = "reads", group]: Parameters<typeof enter> | [string]) =>
    Array.from({ length: count }, () => enter(party, kind, group)).filter((visit) => visit !== undefined)
  return { shed, enter, enterBy, goOn, leave, pause, tick, arrive }
}

describe("of concurrent requests", () => {
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
    const enterBefore = (kind: Visit["kind"], behind: number) => enterBy({ group: "live", party: "a", kind, behind })
    assert.isUndefined(enterBefore("reads", roomMax))
    assert.isDefined(enterBefore("reads", roomMax - 1))
    assert.isUndefined(enterBefore("reads", roomMax - 1))
    assert.isUndefined(enterBefore("writes", writesPerRead * roomMax))
    assert.deepStrictEqual(shed, ["reads", "reads", "writes"])
    assert.strictEqual(arrive(5_000, "a", "reads", "live").length, roomMax - 1, "of what waits nothing is held")
  })

  it("a few parties that fill the room keep out none that has nothing in work", () => {
    const { arrive, enter } = admission()
    for (const most of ["a", "b", "c", "d", "e", "f"]) arrive(5_000, most)
    const more = Array.from({ length: newcomerRooms * roomMax }, (_, index) => enter(`m${index}`, "reads"))
    const inside = more.filter((visit) => visit !== undefined).length
    assert.isAtLeast(inside, (newcomerRooms - 3) * roomMax)
    assert.isBelow(inside, more.length, "there is an end")
    assert.isUndefined(enter("a", "reads"))
  })

  it("what sandboxes have in work keeps no live call out", () => {
    const { arrive, enter } = admission()
    for (let index = 0; index < 5_000; index++) arrive(2, `m${index}`)
    assert.isUndefined(enter("another", "reads", "sandbox"))
    assert.strictEqual(arrive(5_000, "a", "reads", "live").length, roomMax)
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

  it("public and operator requests have separate capacity, by address, and do not block merchants", () => {
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

describe("a request that waits for its client", () => {
  it("does not count, and keeps no other party out", () => {
    const { arrive, enter, leave, pause, goOn } = admission()
    const slow = arrive(5_000, "a", "writes")
    for (const visit of slow) pause(visit)
    assert.strictEqual(arrive(5_000, "a", "writes").length, writesPerRead * roomMax)
    for (const visit of slow) goOn(visit)
    assert.isUndefined(enter("a", "writes"))
    for (const visit of slow) leave(visit)
    for (const visit of slow) goOn(visit)
    assert.isDefined(enter("b", "writes"), "one that has left does not come back")
  })
})

describe("a read of many objects", () => {
  it("counts as several", () => {
    const { enterBy } = admission()
    const pages = Array.from({ length: 5_000 }, () =>
      enterBy({ group: "sandbox", party: "a", kind: "reads", rows: 100 })
    ).filter((visit) => visit !== undefined)
    assert.strictEqual(pages.length, Math.ceil(roomMax / (100 / rowsPerRead)))
  })
})
