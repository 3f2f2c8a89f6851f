/**
 * The size of a PNG or a JPEG in pixels, by its header. A small file may claim many million pixels, which burden the
 * browser that shows it. Pure.
 */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Undefined for an invalid header. */
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
 * Segments with lengths follow each other until one describes the frame. Browsers skip anything between segments,
 * repeated 0xff before a marker, and markers without a length: a different parser could see a small frame where a
 * browser sees a large one.
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

/** SOF0 to SOF15, except the tables and the reserved one among them. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
