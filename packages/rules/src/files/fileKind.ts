/**
 * The kind of a file by its first bytes: neither its name nor its header proves anything. Only these three are
 * accepted, none of which a browser runs (silences: D6).
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

/** Undefined for any other kind. */
export const fileKind = (head: Uint8Array): FileKind | undefined =>
  kinds.find(([, magic]) => magic.every((byte, index) => head[index] === byte))?.[0]
