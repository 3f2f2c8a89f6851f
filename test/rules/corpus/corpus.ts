/** Reads the tables of vectors that lie beside it: a row is a verdict, a text, and what the text is. */
import { readFileSync } from "node:fs"
import path from "node:path"

interface Vector {
  readonly verdict: string
  readonly text: string
  readonly what: string
}

export const corpus = (name: "addresses" | "urls"): ReadonlyArray<Vector> =>
  readFileSync(path.join(import.meta.dirname, `${name}.txt`), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [verdict, text, what] = line.split(" | ").map((cell) => cell.trim()) as [string, string, string]
      return { verdict, text: text.startsWith('"') ? JSON.parse(text) : text, what }
    })
