/** How large a picture is by its own header (silences: K7). */
import { imageSize } from "@coffer/rules/files/imageSize"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { png } from "../kit/pages/png.ts"

const segment = (marker: number, content: ReadonlyArray<number>) => [0xff, marker, 0, content.length + 2, ...content]
const frame = (marker: number) => segment(marker, [8, 1, 2, 3, 4, 1, 1, 0x11, 0])
const jpeg = (...segments: ReadonlyArray<ReadonlyArray<number>>) => Buffer.from([0xff, 0xd8, ...segments.flat()])

describe("the size of a picture", () => {
  it("is what a PNG's header says", () => {
    assert.deepStrictEqual(imageSize(png(3, 2)), { width: 3, height: 2 })
    assert.deepStrictEqual(imageSize(png(3, 2).subarray(0, 24)), { width: 3, height: 2 })
    assert.deepStrictEqual(imageSize(png(1, 1, { width: 4_000_000_000, height: 9 })), { width: 4e9, height: 9 })
  })

  it("is what the frame of a JPEG says, wherever it stands and however it is coded", () => {
    const size = { height: 0x0102, width: 0x0304 }
    for (const marker of [0xc0, 0xc1, 0xc2, 0xcf]) {
      assert.deepStrictEqual(imageSize(jpeg(segment(0xe0, [1, 2, 3]), segment(0xc4, [0]), frame(marker))), size)
      assert.deepStrictEqual(imageSize(jpeg(frame(marker)).subarray(0, 11)), size)
    }
  })

  it("is what a browser reads: the frame after padding, after what stands between segments, after bare markers", () => {
    const size = { height: 0x0102, width: 0x0304 }
    const [small, real] = [segment(0xc0, [8, 0, 1, 0, 1, 1, 1, 0x11, 0]), frame(0xc0)]
    const misread: ReadonlyArray<ReadonlyArray<number>> = [
      [0xff, 0xff, ...real],
      [0, 1, 2, ...real],
      // A bare marker has no length: what follows is no content that could be passed over.
      [0xff, 0x01, ...real, ...small],
      [0xff, 0xd0, ...real, ...small],
      [0xff, 0xd8, ...real, ...small]
    ]
    for (const segments of misread) assert.deepStrictEqual(imageSize(jpeg(segments)), size)
    assert.isUndefined(imageSize(jpeg([0xff, 0xda, 0, 2], small)), "a frame after the scan is none")
  })

  it("is read of bytes that begin anywhere in their memory", () => {
    const memory = Buffer.concat([Buffer.alloc(7, 0xff), png(3, 2), Buffer.alloc(7)])
    assert.deepStrictEqual(imageSize(memory.subarray(7, memory.length - 7)), { width: 3, height: 2 })
  })

  it("is unknown of what says nothing, and of nothing wide or high", () => {
    const none = [
      Buffer.alloc(0),
      png(1, 1).subarray(0, 20),
      png(1, 1).subarray(0, 23),
      png(1, 1, { width: 0, height: 1 }),
      png(1, 1, { width: 1, height: 0 }),
      Buffer.from("<svg width='1' height='1'/>"),
      jpeg(),
      jpeg(frame(0xc4)),
      jpeg(frame(0xbf)),
      jpeg(frame(0xc8)),
      jpeg(frame(0xcc)),
      jpeg(frame(0xd0)),
      jpeg(frame(0xc0)).subarray(0, 10),
      jpeg([0xfe, ...frame(0xc0).slice(1)]),
      jpeg([0xff, 0xe0, 0xff, 0xff]),
      jpeg([0xff, 0xe0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0])
    ]
    for (const bytes of none) assert.isUndefined(imageSize(bytes))
  })

  it("is looked for in any bytes without an end or an error", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void imageSize(bytes)))
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void imageSize(jpeg(Array.from(bytes)))))
  })
})
