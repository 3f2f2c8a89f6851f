/** Lines of JSON between runners (`packages/cluster/src/lines.ts`). */
import { Duplex } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { lineMax, lines, lineWriter } from "@coffer/cluster/lines"

/** A connection whose other end is the test. */
const connection = () => {
  const writes: Array<string> = []
  const socket = new Duplex({
    read: () => undefined,
    write: (bytes: Buffer, _, done) => {
      writes.push(bytes.toString())
      done()
    }
  })
  const arrives = (bytes: Buffer) =>
    Effect.callback<void>((resume) => {
      socket.push(bytes)
      setImmediate(() => resume(Effect.void))
    })
  return { socket, writes, arrives }
}

/** The values that were read, and how often the connection was found broken. */
const reading = (socket: Duplex, isUnderstood = true) => {
  const read = { values: [] as Array<unknown>, broken: 0 }
  lines(socket, { line: (value) => (read.values.push(value), isUnderstood), broken: () => void read.broken++ })
  return read
}

describe("lines between runners", () => {
  it.live("of one turn of the event loop are one write", () =>
    Effect.gen(function* () {
      const { socket, writes } = connection()
      const write = lineWriter(socket)
      write([1])
      write([2, "two\nlines"])
      assert.deepStrictEqual(writes, [])
      yield* Effect.promise(() => new Promise(setImmediate))
      assert.deepStrictEqual(writes, ['[1]\n[2,"two\\nlines"]\n'])
      write([3])
      yield* Effect.promise(() => new Promise(setImmediate))
      assert.strictEqual(writes[1], "[3]\n")
    })
  )

  it.live("are read whole, wherever the network has cut them", () =>
    Effect.gen(function* () {
      const sent = Buffer.from('[1,"a"]\n[2,"zwölf 中"]\n[3]\n')
      for (let first = 0; first <= sent.length; first++) {
        for (let second = first; second <= sent.length; second += 3) {
          const { arrives, socket } = connection()
          const read = reading(socket)
          for (const part of [sent.subarray(0, first), sent.subarray(first, second), sent.subarray(second)]) {
            if (part.length > 0) yield* arrives(part)
          }
          assert.deepStrictEqual(read, { values: [[1, "a"], [2, "zwölf 中"], [3]], broken: 0 })
        }
      }
    })
  )

  for (const [what, sent, isUnderstood] of [
    ["is no JSON", Buffer.from("hello\n"), true],
    ["means nothing", Buffer.from("[1]\n"), false],
    ["does not end", Buffer.alloc(lineMax + 1, "1"), true]
  ] as const) {
    it.live(`close the connection where one ${what}`, () =>
      Effect.gen(function* () {
        const { arrives, socket } = connection()
        const read = reading(socket, isUnderstood)
        yield* arrives(sent)
        assert.deepStrictEqual([read.broken, socket.destroyed], [1, true])
      })
    )
  }
})
