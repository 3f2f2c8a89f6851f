/**
 * The Python package as it is published, packed as a wheel and imported from it by the Python that the machine has: its
 * rules with scripted answers, its story against the running service, and its README to the letter.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { needsPython, pythonRun } from "../kit/program/python.ts"
import { start } from "../kit/Service.ts"
import { blocksIn } from "../kit/texts/blocksIn.ts"

const packageFolder = "packages/python"
const readme = readFileSync(`${packageFolder}/README.md`, "utf8")
let folder = ""
let wheel = ""

/** The wheel's place. */
const packed = async (script: string, name: string) => {
  const { code, stderr, stdout } = await pythonRun([script, path.join(folder, name)])
  assert.strictEqual(code, 0, stderr)
  return stdout.trim()
}

/** The output of a program that ends well. The wheel alone is on its path. */
const run = async (program: string, env: Readonly<Record<string, string>> = {}) => {
  const { code, stderr, stdout } = await pythonRun([program], { ...env, PYTHONPATH: wheel })
  assert.strictEqual(code, 0, `${stdout}\n${stderr}`)
  return { stdout, stderr }
}

describe.skipIf(needsPython !== "")(`the Python package${needsPython}`, () => {
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "coffer-python-"))
    wheel = await packed(`${packageFolder}/scripts/wheel.py`, "wheel")
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("is the same bytes from the same sources, whatever their dates", async () => {
    const copy = path.join(folder, "copy")
    cpSync(packageFolder, copy, { recursive: true })
    const again = await packed(path.join(copy, "scripts/wheel.py"), "again")
    assert.isTrue(readFileSync(wheel).equals(readFileSync(again)))
    assert.strictEqual(path.basename(wheel), path.basename(again))
  })

  it("has the hash of each of its files in its record, and is imported from it", async () => {
    const program = path.join(folder, "record.py")
    const lines = [
      "import base64, coffer, hashlib, sys, zipfile",
      "wheel = zipfile.ZipFile(sys.path[1])",
      'record = next(name for name in wheel.namelist() if name.endswith("/RECORD"))',
      'rows = [row.split(",") for row in wheel.read(record).decode().splitlines()]',
      "assert sorted(row[0] for row in rows) == sorted(wheel.namelist())",
      "for name, hashed, size in rows:",
      "    if name != record:",
      "        digest = hashlib.sha256(wheel.read(name)).digest()",
      '        assert hashed == "sha256=" + base64.urlsafe_b64encode(digest).decode().rstrip("="), name',
      "        assert size == str(len(wheel.read(name))), name",
      "print(coffer.__file__)"
    ]
    writeFileSync(program, lines.join("\n"))
    assert.strictEqual((await run(program)).stdout.trim(), `${wheel}/coffer/__init__.py`)
  })

  it("keeps its rules: retries, keys, pages, followers, errors and webhooks", async () => {
    assert.match((await run("test/python/rules.py")).stderr, /^Ran 21 tests[\s\S]*^OK$/m)
  })

  it.live("collects, refunds, disputes, lists, follows and takes webhooks, waiting and with asyncio", () =>
    Effect.gen(function* () {
      const { api, baseUrl, merchant } = yield* start()
      const other = yield* api.newMerchant()
      const { stderr } = yield* Effect.promise(() =>
        run("test/python/story.py", {
          COFFER_KEY: merchant.sandboxKey,
          COFFER_OTHER_KEY: other.sandboxKey,
          COFFER_BASE_URL: `${baseUrl}/v1`
        })
      )
      assert.match(stderr, /^Ran 10 tests[\s\S]*^OK$/m)
    })
  )

  it.live("does what its README says, block after block", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* start()
      const program = path.join(folder, "readme.py")
      writeFileSync(program, blocksIn(readme, "python").join("\n"))
      const { stdout } = yield* Effect.promise(() =>
        run(program, { COFFER_KEY: merchant.sandboxKey, COFFER_BASE_URL: `${baseUrl}/v1` })
      )
      assert.match(stdout, /^Send the buyer to http:\S+\/checkout\/\S+\npaid: \d+ are in your wallet\nrefund \S+: succ/)
      assert.match(stdout, /^fee_debit -\d+\npayment_credit 1999$/m)
      assert.match(stdout, /^it cannot be closed: conflict, \w+$/m)
      assert.match(stdout, /ship 7\n200\nrefused: no_match\n400\n$/)
    })
  )
})
