/** docs/errors.md has each code of the API, with its status. */
import { readFileSync } from "node:fs"
import * as Errors from "@coffer/contract/Errors"
import { assert, it } from "@effect/vitest"
import { errorPages } from "../../packages/site/src/errorPages.ts"

const source = readFileSync("packages/contract/src/Errors.ts", "utf8")
const codes = new Map(
  [...source.matchAll(/refusedBody\(\s*(\d+),\s*"(\w+)"/g)].map(([, status, code]) => [code!, status!])
)

it("each error of the API has a section with its status, a cause, an example and how it is mended", () => {
  assert.isAbove(Object.keys(Errors).length, 30)
  for (const [file, labels] of tables) assert.deepStrictEqual(lackingIn(readFileSync(file, "utf8"), labels), [], file)
})

it("each reason of a code has a heading on the page of the code, so that an address leads to it", () => {
  for (const language of ["en", "zh"] as const) {
    const table = readFileSync(language === "en" ? "docs/errors.md" : "docs/zh/errors.md", "utf8")
    const pages = new Map(
      errorPages(table, language).map(({ address, markdown }) => [address.split("/").at(-1), markdown])
    )
    for (const [code, reason] of [
      ["conflict", "not_pending"],
      ["conflict", "past_deadline"],
      ["conflict", "too_many_payments"],
      ["processor_error", "channel_refused"],
      ["rate_limited", "quota_of_reads"],
      ["rate_limited", "receipts_of_the_hour"]
    ] as const) {
      assert.match(pages.get(code)!, new RegExp(`^### ${reason}\n\n.+[.。]$`, "m"), `${language} ${reason}`)
    }
    for (const page of pages.values()) assert.notInclude(page, "| `Coffer-Reason` |")
  }
})

const tables = [
  ["docs/errors.md", { status: /^Status (.*)\.$/m, parts: ["**Cause.**", "**Example.**", "**Fix.**"] }],
  ["docs/zh/errors.md", { status: /^状态码 (.*)。$/m, parts: ["**原因。**", "**示例。**", "**处理。**"] }]
] as const
type Labels = (typeof tables)[number][1]

/** Codes without a section, or whose section lacks a part. */
const lackingIn = (text: string, { parts, status: line }: Labels) => {
  const sections = new Map(text.split("\n## ").map((part) => [part.split("\n")[0]!, part]))
  return [...codes].filter(([code, status]) => {
    const section = sections.get(code)
    if (section === undefined) return status !== "404" || !text.includes(`| \`${code}\` |`)
    const [, told] = line.exec(section) ?? []
    return told?.includes(status) !== true || !parts.every((part) => section.includes(part))
  })
}
