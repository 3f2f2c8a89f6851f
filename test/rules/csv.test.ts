/** CSV cells and rows (spec: List conventions; silences: P4, P7, P8). */
import { int, minor } from "@coffer/contract/fields"
import { Minor } from "@coffer/model/Money"
import { field, money, wireFields } from "@coffer/resources/listed"
import { shown } from "@coffer/resources/Resource"
import { csvHeader, csvRow } from "@coffer/rules/csv"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { columnsOf } from "../../src/shared/http/csv.ts"

/** Columns of texts and other values; those in capitals are amounts. */
const columns = (...names: ReadonlyArray<string>) => names.map((name) => ({ name, isMoney: /^[A-Z]/.test(name) }))
const cellOf = (value: unknown) => csvRow(columns("Value"), { Value: value }).slice(0, -2)

describe("a file", () => {
  it("begins with a byte order mark and a header row of the fields in their order, also when it has no rows", () => {
    assert.strictEqual(csvHeader(columns("b", "a", "c")), "\uFEFFb,a,c\r\n")
  })

  it("has the cells in the order of the columns, and ends each row with CRLF", () => {
    const row = csvRow(columns("b", "A"), { A: 1, b: "x", other: "not a column" })
    assert.strictEqual(row, "x,0.01\r\n")
  })

  it("has an empty cell for null and for what is not there", () => {
    assert.strictEqual(csvRow(columns("a", "b", "c"), { a: null, b: undefined }), ",,\r\n")
  })
})

it("a column is money because it is declared so, whatever its description says", () => {
  const deposit = field(Schema.NullOr(Minor), shown("none"), ["Deposit", "押金", "What the buyer left."], money)
  const wire = wireFields({ fields: { deposit }, listing: { object: "shelf" } })
  const found = columnsOf(Schema.Struct({ ...wire, shelves: int("How many, in minor units."), fee: minor("The cost") }))
  assert.deepStrictEqual(found, [
    { name: "deposit", isMoney: true },
    { name: "shelves", isMoney: false },
    { name: "fee", isMoney: true }
  ])
})

describe("a text cell", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\tx", "'\tx"],
    ["\rx", `"'\rx"`],
    ["\n=x", `"'\n'=x"`],
    ["=", "'="],
    ["-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"],
    [" =1+1", "' =1+1"],
    [" \u00A0@SUM(A1)", "' \u00A0@SUM(A1)"],
    ["\u200B=1", "'\u200B=1"],
    ["\uFEFF+1", "'\uFEFF+1"],
    ["＝1+1", "'＝1+1"],
    ["＋1", "'＋1"],
    ["－1+2", "'－1+2"],
    ["＠A1", "'＠A1"],
    ["﹦1", "'﹦1"],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`]
  ])("that begins with a character spreadsheets act on gets a single quote in front: %j", (given, cell) => {
    assert.strictEqual(cellOf(given), cell)
  })

  it.each([
    ["a;=1+1", "a;'=1+1"],
    ["a; ＝1", "a;' ＝1"],
    ["a;=1;-2", "a;'=1;'-2"],
    ["a\t@b", "a\t'@b"],
    ["a\n=1", `"a\n'=1"`],
    ["a\r\n=1", `"a\r\n'=1"`]
  ])("gets the quote in it too, where a file that is not read by its commas begins a cell: %j", (given, cell) => {
    assert.strictEqual(cellOf(given), cell)
  })

  it.each(["a=b", "1-1", "a@b.c", "'=1", "#", "x\ty", "😀", "茶", ""])("is otherwise as it is: %j", (given) => {
    assert.strictEqual(cellOf(given), given)
  })

  it.each([
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\nlines", '"two\nlines"'],
    ["two\r\nlines", '"two\r\nlines"'],
    ['"', '""""']
  ])("is quoted when it has a comma, a quote or a line break: %j", (given, cell) => {
    assert.strictEqual(cellOf(given), cell)
  })

  it("that a program reads back stands as it is", () => {
    const text = "usd\n-500\n=1"
    assert.strictEqual(csvRow([{ name: "text", isMoney: false, isExact: true }], { text }), `"${text}"\r\n`)
  })

  it("that is true or false is written so", () => {
    assert.strictEqual(cellOf(true) + cellOf(false), "truefalse")
  })
})

describe("an amount cell", () => {
  it.each([
    [0, "0.00"],
    [1, "0.01"],
    [-1, "-0.01"],
    [1999, "19.99"],
    [-105, "-1.05"],
    [100_000_000_000, "1000000000.00"],
    [Number.MAX_SAFE_INTEGER, "90071992547409.91"]
  ])("%i minor units is the number %s, exact and without a quote in front", (minor, cell) => {
    assert.strictEqual(cellOf(minor), cell)
  })
})

describe("a cell of another number", () => {
  it.each([0, 1, -1, 200, 1999, Number.MAX_SAFE_INTEGER])("%i is the number as it is", (value) => {
    assert.strictEqual(csvRow(columns("sequence"), { sequence: value }), `${value}\r\n`)
  })
})

describe("a json cell", () => {
  it("is the object's JSON text, quoted", () => {
    assert.strictEqual(csvRow(columns("m"), { m: { a: 'x"y', b: "1" } }), '"{""a"":""x\\""y"",""b"":""1""}"\r\n')
    assert.strictEqual(csvRow(columns("m"), { m: {} }), "{}\r\n")
  })

  it("has no text that a spreadsheet would run, neither as a name nor as a value, however deep", () => {
    const m = { "=k": "a;=1+1", list: ["-2+3+cmd|x", { " @in": 5 }] }
    const row = csvRow(columns("m"), { m }).slice(1, -3).replaceAll('""', '"')
    assert.strictEqual(row, `{"'=k":"a;'=1+1","list":["'-2+3+cmd|x",{"' @in":5}]}`)
  })
})

/** A file as a reader by RFC 4180 understands it. */
const parse = (file: string): Array<Array<string>> => {
  const rows: Array<Array<string>> = []
  let row: Array<string> = []
  for (const [, quoted, plain, end] of file.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'))
    if (end === ",") continue
    rows.push(row)
    row = []
  }
  return rows
}

/** A text as it stands in a cell, in a slow way. */
const guarded = (value: string): string => {
  const isSign = (rest: string) => "=+-@＝＋－＠﹦﹢﹣﹫".includes(rest.charAt(0)) && rest !== ""
  const pieces = value.split(/(?<=[;\t\r\n])/)
  return pieces
    .map((piece, at) => {
      const seen = piece.replace(/^[\s\p{C}]+/u, "")
      const isFirst = at === 0 && (/^[\t\r\n]/.test(value) || isSign(value.replace(/^[\s\p{C}]+/u, "")))
      return isFirst || (at > 0 && isSign(seen)) ? `'${piece}` : piece
    })
    .join("")
}

it("whatever the texts are, a reader gets them back, none of them as a formula", () => {
  const anyText = fc.string({ unit: "binary" }).filter((value) => value.isWellFormed())
  const hostile = fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", "=", "'", "\t", "-", "a") })
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.oneof(anyText, hostile), hostile), { maxLength: 5 }), (items) => {
      const file = items.map(([a, b]) => csvRow(columns("a", "b"), { a, b })).join("")
      assert.deepStrictEqual(
        parse(file),
        items.map((item) => item.map(guarded))
      )
    })
  )
})
