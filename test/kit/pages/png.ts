/** A PNG of one colour, a disc on nothing, as small as it can be. */
import { crc32, deflateSync } from "node:zlib"

const chunk = (type: string, data: Buffer) => {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data])
  const whole = Buffer.alloc(data.length + 12)
  whole.writeUInt32BE(data.length, 0)
  named.copy(whole, 4)
  whole.writeUInt32BE(crc32(named), data.length + 8)
  return whole
}

/** `says`: what its header says of its size, where that is not true. */
export const png = (width: number, height: number, says = { width, height }): Buffer => {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0])
  header.writeUInt32BE(says.width, 0)
  header.writeUInt32BE(says.height, 4)
  const isInside = (x: number, y: number) => Math.hypot(x - width / 2 + 0.5, y - height / 2 + 0.5) < height / 2
  const lines = Array.from({ length: height }, (_, y) =>
    Buffer.from([
      0,
      ...Array.from({ length: width }, (_, x) => (isInside(x, y) ? [23, 97, 79, 255] : [0, 0, 0, 0])).flat()
    ])
  )
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(lines))),
    chunk("IEND", Buffer.alloc(0))
  ])
}
