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

/**
 * Segments follow each other, each with its length, until one describes the frame. Browsers pass over whatever stands
 * between them, over more than one 0xff before a marker, and over markers without a length: read otherwise, the bytes
 * could show us a small frame and a browser a large one.
 */
const jpegSize = (view: DataView): ImageSize | undefined => {
  let at = 2
  while (at < view.byteLength) {
    while (at < view.byteLength && view.getUint8(at) !== 0xff) at++
    while (at < view.byteLength && view.getUint8(at) === 0xff) at++
    if (at + 8 > view.byteLength) return undefined
    const marker = view.getUint8(at)
    at++
    if (standsAlone(marker)) continue
    const length = view.getUint16(at)
    if (isFrame(marker)) return { height: view.getUint16(at + 3), width: view.getUint16(at + 5) }
    if (marker === endOfImage || marker === startOfScan || length < 2) return undefined
    at += length
  }
  return undefined
}

/** No marker at all, TEM, RST0 to RST7, and a start of the image. */
const standsAlone = (marker: number) => marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)
const endOfImage = 0xd9
const startOfScan = 0xda

/** SOF0 to SOF15, but for the tables and the reserved one among them. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
