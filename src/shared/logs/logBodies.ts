/**
 * Bodies of calls as blocks: those of many calls are one JSON array, compressed. A single body hardly shrinks, and
 * compressing it takes longer than the rest of its log; together they take a twentieth (docs/decisions/0024).
 */
import { DateTime, Effect, Schema } from "effect"
import { promisify } from "node:util"
import { zstdCompress, zstdDecompress } from "node:zlib"

/** A list of calls reads a block for each row: a block is read in a fraction of a millisecond. */
const rowsMax = 64
/** Characters of a block, unless one call alone has more. */
const charactersMax = 64 * 1024

/** JSON as text; null where there is none. */
export interface Bodies {
  readonly request_body: string | null
  readonly response_body: string | null
}

/** Calls of one UTC day, in their order. */
export interface Slice<Row> {
  readonly day: DateTime.Utc
  readonly rows: ReadonlyArray<Row>
}

/** Calls with bodies, cut into blocks. */
export const slicesOf = <Row extends Bodies & { readonly created_at: DateTime.Utc }>(
  rows: ReadonlyArray<Row>
): ReadonlyArray<Slice<Row>> => {
  const slices: Array<{ readonly day: DateTime.Utc; readonly rows: Array<Row>; characters: number }> = []
  for (const row of rows) {
    const characters = (row.request_body?.length ?? 0) + (row.response_body?.length ?? 0)
    if (characters === 0) continue
    const day = DateTime.removeTime(row.created_at)
    const open = slices.at(-1)
    const fits =
      open !== undefined &&
      DateTime.Equivalence(open.day, day) &&
      open.rows.length < rowsMax &&
      open.characters + characters <= charactersMax
    const slice = fits ? open : { day, rows: [], characters: 0 }
    if (!fits) slices.push(slice)
    slice.rows.push(row)
    slice.characters += characters
  }
  return slices
}

/** Two values for each call. In threads of their own: the largest blocks would hold up the loop. */
export const pack = (rows: ReadonlyArray<Bodies>): Effect.Effect<Uint8Array> =>
  Effect.promise(() =>
    compress(`[${rows.map((row) => `${row.request_body ?? "null"},${row.response_body ?? "null"}`).join()}]`)
  )

/** The request's and the response's body of the call at this place; null where there is none. */
export type Unpacked = (place: number) => readonly [request: unknown, response: unknown]

export const unpack = (block: Uint8Array): Effect.Effect<Unpacked> =>
  Effect.map(allOf(block), (bodies): Unpacked => (place) => [bodies[2 * place] ?? null, bodies[2 * place + 1] ?? null])

/** All values of a block, as they were packed. */
export const allOf = (block: Uint8Array): Effect.Effect<ReadonlyArray<unknown>> =>
  Effect.map(
    Effect.promise(() => decompress(block)),
    (bytes) => decode(bytes.toString())
  )

const compress = promisify<string, Buffer>(zstdCompress)
const decompress = promisify<Uint8Array, Buffer>(zstdDecompress)
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.Unknown)))
