/** docs/crash-table.md: what each crash of a workflow leaves behind, played again (docs/simulation.md). */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { simulate } from "../kit/program/simulate.ts"

it("a runner that is killed at any write of money leaves what the published table says, and the same end as without a crash", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "coffer-crashes-"))
  try {
    const page = path.join(folder, "page.md")
    const { code, output } = await simulate("--crashes", page)
    assert.strictEqual(code, 0, output)
    assert.strictEqual(
      readFileSync(page, "utf8"),
      readFileSync("docs/crash-table.md", "utf8"),
      "write it again with npm run simulate -- --crashes docs/crash-table.md"
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
