/**
 * How large a PNG or a JPEG is in pixels, by its own header. Few bytes may say that they are a picture of many million
 * pixels, and the browser that shows it pays for them. Pure.
 */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Undefined when the bytes do not say it where they must. */
export const imageSize = (bytes: Uint8Array): ImageSize | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const size = isJpeg(view) ? jpegSize(view) : pngSize(view)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

const isJpeg = (view: DataView) => view.byteLength > 3 && view.getUint16(0) === 0xffd8

/** The first chunk is the header: its length, `IHDR`, width, height. */
const pngSize = (view: DataView): ImageSize | undefined =>
  view.byteLength >= 24 && view.getUint32(12) === 0x49_48_44_52
    ? { width: view.getUint32(16), height: view.getUint32(20) }
    : undefined

/** Segments follow each other, each with its length, until one describes the frame. */
const jpegSize = (view: DataView): ImageSize | undefined => {
  let at = 2
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    at += 2 + Math.max(2, view.getUint16(at + 2))
  }
  return undefined
}

/** SOF0 to SOF15, but for the tables and the reserved one among them. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
