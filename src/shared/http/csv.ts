/**
 * A list as a CSV file, sent while it is read (spec: List conventions). Every refusal happens before this reply begins.
 * If the database fails later, the connection is cut, so that no incomplete file looks complete.
 */
import { isMoney } from "@coffer/model/Money"
import type { Scope } from "@coffer/model/Scopes"
import { isOfBuyer } from "@coffer/resources/listed"
import { type Column, csvHeader, csvRow } from "@coffer/rules/csv"
import { Effect, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { CurrentRecord } from "./CurrentRequest.ts"
import { inSlices } from "../../platform/runtime/slices.ts"

/** The fields of a resource in their order, without `object` and those that only some objects have. */
export const columnsOf = ({
  fields: { object: _, ...fields }
}: {
  readonly fields: { readonly [Field in string]: Schema.Constraint }
}): ReadonlyArray<Column> =>
  Object.entries(fields)
    .filter(([, { ast }]) => ast.context?.isOptional !== true)
    .map(([name, schema]) => ({ name, isMoney: isMoney(schema) }))

const ofBuyers: Scope = "exports:read"

/**
 * The columns are the fields of the resource in the specification's order, without `object`. A person who may export
 * nothing of a buyer gets the others (silences: U26).
 */
export const replyCsv = <Row, Item extends Readonly<Record<string, unknown>>>(
  name: string,
  resource: { readonly fields: { readonly [Field in keyof Item]: Schema.Constraint } },
  file: { readonly truncated: boolean; readonly chunks: Stream.Stream<ReadonlyArray<Row>> },
  view: (row: Row) => Item
) =>
  Effect.map(CurrentRecord, (record) => {
    const mayBuyers = record.person === undefined || record.scopes!.includes(ofBuyers)
    const columns = columnsOf(resource).filter(({ name }) => mayBuyers || !isOfBuyer(resource.fields[name]!))
    const sending = (pieces: ReadonlyArray<string>) =>
      record.stream?.sending(pieces.reduce((sum, { length }) => sum + length, 0))
    const making = Stream.fromEffectDrain(Effect.sync(() => record.stream?.making()))
    const rows = Stream.flatMap(file.chunks, (chunk) =>
      Stream.fromIterableEffect(
        Effect.map(
          inSlices(chunk, (some) => some.map((row) => csvRow(columns, view(row))).join("")),
          (texts) => {
            const pieces = inPieces(texts)
            sending(pieces)
            return pieces
          }
        )
      ).pipe(Stream.concat(making))
    ).pipe(
      Stream.rechunk(1),
      // The network may take a piece at once; without this no other fiber would have a turn.
      Stream.tap(() => Effect.yieldNow)
    )
    return HttpServerResponse.stream(
      Stream.encodeText(Stream.concat(making, Stream.concat(Stream.make(csvHeader(columns)), rows))),
      {
        contentType: "text/csv; charset=utf-8",
        headers: {
          "content-disposition": `attachment; filename="${name}.csv"`,
          ...(file.truncated ? { "x-truncated": "true" } : {})
        }
      }
    )
  })

/** Characters. A longer piece is sent separately. Usual rows of a chunk are one piece. */
const pieceMin = 256 * 1024

const inPieces = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  let piece = ""
  for (const text of texts) {
    piece += text
    if (piece.length < pieceMin) continue
    pieces.push(piece)
    piece = ""
  }
  return piece === "" ? pieces : [...pieces, piece]
}
