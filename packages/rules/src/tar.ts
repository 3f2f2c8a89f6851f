/** A tar archive (POSIX ustar), entry by entry, so that one can be sent while it is made. Pure. */

const blockSize = 512
const utf8 = new TextEncoder()

export interface TarEntry {
  /** At most 100 ASCII characters. */
  readonly path: string
  readonly content: Uint8Array
  /** Seconds since 1970. */
  readonly modifiedAt: number
}

/** A header of one block, the content, and zeros to the end of its last block. */
export const tarEntry = (entry: TarEntry): Uint8Array => blocksOf("0", entry)

/**
 * Not a file: a POSIX global header with a comment, which every reader skips. It is sent while there is no data, so
 * that no proxy mistakes a long search for a dead connection.
 */
export const tarComment = (modifiedAt: number): Uint8Array =>
  blocksOf("g", { path: "pax_global_header", content: utf8.encode("18 comment=making\n"), modifiedAt })

const blocksOf = (kind: string, { content, modifiedAt, path }: TarEntry): Uint8Array => {
  const blocks = Math.ceil(content.length / blockSize)
  const bytes = new Uint8Array(blockSize * (1 + blocks))
  const put = (text: string, at: number) => bytes.set(utf8.encode(text), at)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0")
  put(path, 0)
  put(`${octal(0o600, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100)
  put(`${octal(content.length, 11)}\0${octal(Math.max(0, Math.floor(modifiedAt)), 11)}\0`, 124)
  // The checksum is computed with spaces in its own field.
  put(`        ${kind}`, 148)
  put("ustar\u000000", 257)
  const sum = bytes.subarray(0, blockSize).reduce((total, byte) => total + byte, 0)
  put(`${octal(sum, 6)}\0 `, 148)
  bytes.set(content, blockSize)
  return bytes
}

/** Ends an archive. */
export const tarEnd = new Uint8Array(2 * blockSize)
