/** A tar archive, entry by entry (POSIX ustar), as `tar` reads it. */
import { tarComment, tarEnd, tarEntry } from "@coffer/rules/tar"
import { assert, describe, it } from "@effect/vitest"

const textIn = (bytes: Uint8Array, from: number, length: number) =>
  Buffer.from(bytes).toString("latin1", from, from + length)
const entry = (content: string, modifiedAt = 1_700_000_000.9) =>
  tarEntry({ path: "a/b.csv", content: new TextEncoder().encode(content), modifiedAt })

describe("an entry of an archive", () => {
  it("has its name, rights for its owner alone, size, time in whole seconds, kind and format", () => {
    const bytes = entry("x".repeat(600))
    assert.strictEqual(textIn(bytes, 0, 8), "a/b.csv\0")
    assert.strictEqual(textIn(bytes, 100, 24), "0000600\u00000000000\u00000000000\0")
    assert.strictEqual(textIn(bytes, 124, 24), "00000001130\u000014524770400\0")
    assert.strictEqual(textIn(bytes, 156, 1), "0")
    assert.strictEqual(textIn(bytes, 257, 8), "ustar\u000000")
    assert.strictEqual(textIn(entry("", -5), 136, 12), "00000000000\0")
  })

  it("has the sum of its header's bytes, with spaces in the place of the sum", () => {
    const bytes = entry("abc")
    const sum = bytes.subarray(0, 512).reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0)
    assert.strictEqual(textIn(bytes, 148, 8), `${sum.toString(8).padStart(6, "0")}\0 `)
  })

  it("is whole blocks of 512 bytes: its header, its content, and zeros", () => {
    for (const [length, blocks] of [
      [0, 1],
      [1, 2],
      [512, 2],
      [513, 3]
    ] as const) {
      const bytes = entry("x".repeat(length))
      assert.lengthOf(bytes, 512 * blocks)
      assert.strictEqual(
        textIn(bytes, 512, bytes.length),
        "x".repeat(length) + "\0".repeat(bytes.length - 512 - length)
      )
    }
  })

  it("is passed over where it is a comment: a global header of POSIX, whose one record tells its own length", () => {
    const bytes = tarComment(0)
    const record = "18 comment=making\n"
    assert.strictEqual(textIn(bytes, 156, 1), "g")
    assert.strictEqual(textIn(bytes, 512, record.length), record)
    assert.lengthOf(record, 18)
    assert.lengthOf(bytes, 1_024)
  })

  it("is the last if two blocks of zeros follow", () => assert.deepStrictEqual(tarEnd, new Uint8Array(1_024)))
})
