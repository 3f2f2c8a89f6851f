/**
 * A list as a CSV file, written while it is read (spec: List conventions). Whatever can be refused has been refused
 * before this reply begins; a database that fails later cuts the connection, so that no file looks whole and is not.
 */
import { csvHeader, csvRow } from "@coffer/rules/csv"
import { Stream, Struct } from "effect"
import { HttpServerResponse } from "effect/http"

/** The columns are the fields of the resource in its order, which is the specification's, but for its kind. */
export const replyCsv = <Row, Item extends Readonly<Record<string, unknown>>>(
  name: string,
  { fields: { object: _, ...fields } }: { readonly fields: { readonly [Field in keyof Item]: unknown } },
  file: { readonly truncated: boolean; readonly chunks: Stream.Stream<ReadonlyArray<Row>> },
  view: (row: Row) => Item
) => {
  const columns = Struct.keys(fields)
  const rows = Stream.map(file.chunks, (chunk) => chunk.map((row) => csvRow(columns, view(row))).join(""))
  return HttpServerResponse.stream(Stream.encodeText(Stream.concat(Stream.make(csvHeader(columns)), rows)), {
    contentType: "text/csv; charset=utf-8",
    headers: {
      "content-disposition": `attachment; filename="${name}.csv"`,
      ...(file.truncated ? { "x-truncated": "true" } : {})
    }
  })
}
