/** A Postgres array as text: the client cannot tell the element type of an array of nulls. */
import { jsonText } from "../runtime/codecs.ts"

/** Rows travel between runners in messages, so a cell is plain data: a time is ISO text, JSON is its text. */
export type Cell = string | number | null

export const arrayLiteral = (cells: ReadonlyArray<Cell>): string => {
  let text = "{"
  for (let index = 0; index < cells.length; index++) {
    const cell = cells[index]!
    text += (index === 0 ? "" : ",") + (typeof cell === "string" ? quote(cell) : cell === null ? "NULL" : String(cell))
  }
  return text + "}"
}

const quote = (text: string): string => {
  if (!special.test(text)) return `"${text}"`
  // JSON escapes both as an array does, several times faster than a pattern, but it escapes other characters too.
  return others.test(text) ? `"${text.replace(/[\\"]/g, "\\$&")}"` : jsonText(text)
}
// Few texts have one, and to look costs a tenth of replacing.
const special = /[\\"]/
const others = /[^ -\ud7ff\ue000-\uffff]/
