/**
 * A list as a CSV file, written while it is read (spec: List conventions). Whatever can be refused has been refused
 * before this reply begins; a database that fails later cuts the connection, so that no file looks whole and is not.
 */
import { type Columns, csvHeader, csvRow } from "@coffer/rules/csv"
import { Stream } from "effect"
import { HttpServerResponse } from "effect/http"

export const replyCsv = <Row, Item>(
  name: string,
  columns: Columns<Item>,
  file: { readonly truncated: boolean; readonly chunks: Stream.Stream<ReadonlyArray<Row>> },
  view: (row: Row) => Item
) => {
  const rows = Stream.map(file.chunks, (chunk) => chunk.map((row) => csvRow(columns, view(row))).join(""))
  return HttpServerResponse.stream(Stream.encodeText(Stream.concat(Stream.make(csvHeader(columns)), rows)), {
    contentType: "text/csv; charset=utf-8",
    headers: {
      "content-disposition": `attachment; filename="${name}.csv"`,
      ...(file.truncated ? { "x-truncated": "true" } : {})
    }
  })
}
