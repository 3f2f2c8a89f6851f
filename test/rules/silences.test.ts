/**
 * The notes on what the specification leaves open: code, tests and pages cite them by letter and number (`silences: R1`),
 * and a reader finds each by a search for its number in bold, in docs/specification.md or docs/choices.md.
 */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const pages = ["docs/specification.md", "docs/choices.md"]
const textOf = (file: string) => readFileSync(file, "utf8")

/** Numbers of the notes, in the order of the pages. */
const notes = pages.flatMap((page) =>
  Array.from(textOf(page).matchAll(/^(?:> )?- \*\*([A-Z]\d+)\*\* /gm), ([, id]) => id!)
)

const one = "[A-Z]\\d+"
/** "R1", "R1, R2" and "I1 to I6", also over the end of a line. */
const several = new RegExp(`silences: ?(${one}(?:(?:, | to | and )${one})*)`, "g")
const range = new RegExp(`(${one})(?: to (${one}))?`, "g")

/** "I1 to I3" is I1, I2 and I3. */
const numbersIn = (list: string): ReadonlyArray<string> =>
  Array.from(list.matchAll(range)).flatMap(([, first = "", last = first]) => {
    const [from, to] = [Number(first.slice(1)), Number(last.slice(1))]
    return Array.from({ length: to - from + 1 }, (_, index) => `${first[0]}${from + index}`)
  })

/** A comment or a quote goes on behind the mark of its next line. */
const joined = (text: string) => text.replace(/\n\s*(?:\*|\/\/|#|>)?\s*/g, " ")

const files = ["src", "packages", "test", "docs"]
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`))
  .filter((file) => /\.(ts|mjs|md)$/.test(file) && !/node_modules|\/dist\//.test(file))
  .concat("README.md", "CONTRIBUTING.md", "CHANGELOG.md")

const citations = files.flatMap((file) =>
  Array.from(joined(textOf(file)).matchAll(several)).flatMap(([, list]) =>
    numbersIn(list!).map((id) => `${id} in ${file}`)
  )
)
const lacking = (cited: ReadonlyArray<string>) => cited.filter((citation) => !notes.includes(citation.split(" ")[0]!))

describe("the notes on what the specification leaves open", () => {
  it("have each number once", () => {
    assert.isAbove(notes.length, 300)
    assert.deepStrictEqual(
      notes.filter((id, index) => notes.indexOf(id) !== index),
      []
    )
  })

  it("include each number that code, tests and pages cite", () => {
    assert.isAbove(citations.length, 500)
    assert.deepStrictEqual(lacking(citations), [])
  })

  it("include each number that the pages name in brackets", () => {
    const named = pages.flatMap((page) =>
      Array.from(joined(textOf(page)).matchAll(/\(([^()]*)\)/g)).flatMap(([, inside]) =>
        (/\b[A-Z]\d+(?:, [A-Z]\d+)*$/.exec(inside!)?.[0].split(", ") ?? []).map((id) => `${id} in ${page}`)
      )
    )
    assert.isAbove(named.length, 100)
    assert.deepStrictEqual(lacking(named), [])
  })
})
