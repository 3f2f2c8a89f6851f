/** Which connection is closed when there are too many, by counting. */
import { assert, it } from "@effect/vitest"
import { type Entry, makeConnections } from "../../src/door/edge/Arrivals.ts"

const open = (max: number) => {
  const closed: Array<string> = []
  const busy = new Set<string>()
  const connections = makeConnections(max, () => undefined)
  const opened = (name: string, address: string | undefined): Entry =>
    connections.opened(address, { isBusy: () => busy.has(name), close: () => void closed.push(name) })
  return { end: connections.closed, used: connections.used, opened, closed, busy }
}

it("the address with most connections loses the one that has been idle for longest, and the newcomer stays", () => {
  const { closed, opened, used } = open(5)
  opened("other", "b")
  opened("one more", "e")
  const first = opened("first", "a")
  opened("second", "a")
  opened("another", "c")
  used(first)
  opened("newcomer", "d")
  assert.deepStrictEqual(closed, ["second"])
})

it("one address has a quarter at most, unless all of its connections are busy", () => {
  const { busy, closed, opened } = open(12)
  for (const name of ["1", "2", "3"]) {
    busy.add(name)
    opened(name, "a")
  }
  busy.add("4")
  opened("4", "a")
  assert.deepStrictEqual(closed, [])
  busy.delete("2")
  opened("5", "a")
  assert.deepStrictEqual(closed, ["2"])
})

it("of a trusted proxy each connection stands for itself", () => {
  const { closed, opened } = open(8)
  for (let index = 0; index < 6; index++) opened(`proxy ${index}`, undefined)
  opened("1", "a")
  opened("2", "a")
  opened("newcomer", "b")
  assert.deepStrictEqual(closed, ["1"])
  opened("another", "c")
  assert.deepStrictEqual(closed, ["1", "proxy 0"])
})

it("of busy ones, where none is idle, the address with most loses the one that was used first", () => {
  const { busy, closed, opened } = open(3)
  for (const name of ["1", "2", "3"]) busy.add(name)
  opened("1", "b")
  opened("2", "a")
  opened("3", "a")
  opened("newcomer", "c")
  assert.deepStrictEqual(closed, ["2"])
})

it("a connection that has ended counts no more", () => {
  const { closed, end, opened } = open(2)
  const first = opened("1", "a")
  end(first)
  opened("2", "a")
  opened("3", "b")
  assert.deepStrictEqual(closed, [])
})
