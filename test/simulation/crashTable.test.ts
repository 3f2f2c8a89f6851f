/** docs/crash-table.md: what each crash of a workflow leaves behind, played again (docs/simulation.md). */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { simulate } from "../kit/program/simulate.ts"

const folder = mkdtempSync(path.join(tmpdir(), "coffer-crashes-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** By their headings. All of them take minutes, and `npm run simulate` plays them. */
const sectionsOf = (page: string) =>
  new Map(page.split("\n## ").map((section) => [section.split("\n")[0], section.trim()]))

describe("a runner that is killed at any write leaves what the published table says, and the same end, when", () => {
  const published = sectionsOf(readFileSync("docs/crash-table.md", "utf8"))
  const played = ["an order is created", "a payment by card is refunded", "a part of what is held is captured"]
  for (const workflow of played) {
    it(workflow, async () => {
      const page = path.join(folder, "page.md")
      const { code, output } = await simulate("--crashes", page, "--workflow", workflow)
      assert.strictEqual(code, 0, output)
      const heading = `${workflow[0]!.toUpperCase()}${workflow.slice(1)}`
      assert.strictEqual(sectionsOf(readFileSync(page, "utf8")).get(heading), published.get(heading))
    })
  }
})
