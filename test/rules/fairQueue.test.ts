/** In which order requests begin that come faster than they can be begun; the clock and the turns are given. */
import { assert, describe, it } from "@effect/vitest"
import { acceptsMax, atOnceMax, makeFairQueue, sliceMillis, waitingMax } from "../../src/door/edge/Arrivals.ts"

const queue = () => {
  const begun: Array<string> = []
  let turns: Array<() => void> = []
  let now = 0
  let costs = 0
  const { accepted, enter } = makeFairQueue({ later: (turn) => turns.push(turn), millis: () => now })
  return {
    begun,
    accepted,
    /** So many at once, in one turn of the loop. */
    arrive: (count: number, line: string) => {
      for (let index = 0; index < count; index++) {
        enter(
          () => line,
          (behind) => {
            begun.push(`${line} ${behind}`)
            now += costs
          }
        )
      }
    },
    /** The posts that begin in the next turn. */
    turn: () => {
      const before = begun.length
      const planned = turns
      turns = []
      for (const each of planned) each()
      return begun.slice(before)
    },
    /** Whether another turn was asked for. */
    isPlanned: () => turns.length > 0,
    cost: (millis: number) => (costs = millis),
    pass: (millis: number) => (now += millis)
  }
}

describe("requests", () => {
  it("begin immediately while there are few", () => {
    const { arrive, begun, isPlanned, turn } = queue()
    for (let round = 0; round < 3; round++) {
      arrive(atOnceMax, "a")
      assert.strictEqual(begun.length, (round + 1) * atOnceMax)
      assert.deepStrictEqual(turn(), [])
    }
    assert.isFalse(isPlanned(), "nothing runs while nobody waits")
  })

  it("begin line by line when they are many, so that one does not wait for thousands of another line", () => {
    const { arrive, begun, turn } = queue()
    arrive(atOnceMax + 5_000, "a")
    arrive(1, "b")
    arrive(2, "c")
    assert.strictEqual(begun.length, atOnceMax)
    assert.deepStrictEqual(turn().slice(0, 6), ["a 4999", "b 0", "c 1", "a 4998", "c 0", "a 4997"])
    assert.strictEqual(begun.length, atOnceMax + 5_003)
  })

  it("learn how many of their queue wait behind them", () => {
    const { arrive, turn } = queue()
    arrive(atOnceMax + 3, "a")
    assert.deepStrictEqual(turn(), ["a 2", "a 1", "a 0"])
  })

  it("begin for a while, and then sockets are read again; the next line continues where the turn ended", () => {
    const { arrive, cost, isPlanned, turn } = queue()
    arrive(atOnceMax + 100, "a")
    arrive(100, "b")
    cost(sliceMillis / 3)
    assert.deepStrictEqual(turn(), ["a 99", "b 99", "a 98"])
    assert.isTrue(isPlanned())
    arrive(1, "c")
    assert.deepStrictEqual(turn(), ["b 98", "a 97", "c 0"])
  })

  it("stand behind those that wait already, also when they come alone", () => {
    const { arrive, cost, turn } = queue()
    arrive(atOnceMax + 2, "a")
    cost(sliceMillis)
    assert.deepStrictEqual(turn(), ["a 1"])
    arrive(1, "b")
    assert.deepStrictEqual([turn(), turn()], [["a 0"], ["b 0"]])
  })

  it("wait while connections come in, since Node accepts one in each turn of the loop, and then begin for as long", () => {
    const { accepted, arrive, cost, pass, turn } = queue()
    cost(1)
    accepted()
    arrive(1_000, "a")
    for (const millis of [1, sliceMillis, 30, 1_000]) {
      for (let count = 1; count < acceptsMax; count++) {
        assert.deepStrictEqual(turn(), [])
        accepted()
      }
      pass(millis)
      assert.strictEqual(turn().length, Math.min(50, Math.max(sliceMillis, millis)), `accepted in ${millis} ms`)
      accepted()
    }
    assert.deepStrictEqual(turn(), [])
    assert.strictEqual(turn().length, sliceMillis, "no connection came")
  })

  it("that come with a connection begin in the next turn, if no other connection comes", () => {
    const { accepted, arrive, isPlanned, turn } = queue()
    for (let round = 0; round < 3; round++) {
      accepted()
      arrive(1, "a")
      assert.deepStrictEqual([turn(), turn()], [[], ["a 0"]])
      assert.isFalse(isPlanned())
    }
  })

  it("beyond the queue's limit begin immediately, like those that have their whole line behind them", () => {
    const { arrive, begun } = queue()
    arrive(atOnceMax + waitingMax, "a")
    assert.strictEqual(begun.length, atOnceMax)
    arrive(1, "a")
    arrive(1, "b")
    assert.deepStrictEqual(begun.slice(atOnceMax), [`a ${waitingMax}`, "b 0"])
  })
})
