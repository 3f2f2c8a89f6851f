/**
 * The kind of a file, told by how it begins: neither its name nor the header that came with it is evidence of anything.
 * Only these three are taken, none of which a browser runs (silences: D6).
 */
export interface FileKind {
  readonly contentType: "application/pdf" | "image/png" | "image/jpeg"
  readonly extension: "pdf" | "png" | "jpg"
}

const kinds: ReadonlyArray<readonly [FileKind, ReadonlyArray<number>]> = [
  // "%PDF-"
  [{ contentType: "application/pdf", extension: "pdf" }, [0x25, 0x50, 0x44, 0x46, 0x2d]],
  [{ contentType: "image/png", extension: "png" }, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  [{ contentType: "image/jpeg", extension: "jpg" }, [0xff, 0xd8, 0xff]]
]

/** How many of the first bytes decide. */
export const headLength = 8

/** Undefined for whatever else it may be. */
export const fileKind = (head: Uint8Array): FileKind | undefined =>
  kinds.find(([, magic]) => magic.every((byte, index) => head[index] === byte))?.[0]
