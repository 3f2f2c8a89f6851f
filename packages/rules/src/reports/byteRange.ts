/** The part of a file that a `Range` header asks for (RFC 9110, 14). Pure. */

/** A byte range; the end is exclusive. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/**
 * `whole`: not a byte range, or several, which a server may answer with the whole file. `beyond`: the file has none of
 * these bytes.
 */
export const byteRange = (header: string | undefined, size: number): ByteRange | "whole" | "beyond" => {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? []
  if (first === "" && last === "") return "whole"
  if (first === "")
    return Number(last) === 0 || size === 0 ? "beyond" : { from: Math.max(0, size - Number(last)), to: size }
  const from = Number(first)
  if (last !== "" && Number(last) < from) return "whole"
  return from >= size ? "beyond" : { from, to: last === "" ? size : Math.min(size, Number(last) + 1) }
}
