/** `coffer agent`: what it puts into a project, and that it takes exactly that out again. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type as typed } from "../kit/callers/cli.ts"

const project = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-agent-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** All files and folders of a project, with the texts. */
const contentOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .toSorted()
      .map((name) => {
        const file = path.join(folder, name)
        return [name, statSync(file).isDirectory() ? "" : readFileSync(file, "utf8")]
      })
  )

const put = (folder: string, files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
}

/** Secrets that must be in no file. */
const env = { COFFER_KEY: "svc_test_secretsecret", COFFER_BASE_URL: "https://pay.example/v1" }

const acts = Effect.fnUntraced(function* (word: "setup" | "remove", folder: string) {
  const { code, stderr, stdout } = yield* typed(["agent", word, folder, "--json"], env)
  assert.strictEqual(code, 0, stderr)
  const changes = stdout
    .trim()
    .split("\n")
    .flatMap((line) => JSON.parse(line) as { file: string; done: string; why?: string })
  return Object.fromEntries(changes.map(({ done, file }) => [file, done]))
})

const existing = {
  ".mcp.json": '{"mcpServers":{"mine":{"command":"other"}}}',
  ".cursor/mcp.json": '{\n\t"mcpServers": {}\n}\n',
  ".vscode/mcp.json": '{\n  // Ours.\n  "inputs": [],\n}\n',
  ".vscode/settings.json": "{}\n",
  "AGENTS.md": "# Rules\n\nBe kind."
}

describe("coffer agent", () => {
  it.live("sets up an empty project without a secret, the same each time, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const folder = yield* project
      const first = yield* acts("setup", folder)
      assert.lengthOf(Object.keys(first), 7)
      assert.isTrue(Object.values(first).every((done) => done === "written"))
      const made = contentOf(folder)
      for (const text of Object.values(made)) assert.notMatch(text, /secretsecret|pay\.example/)
      for (const name of [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"]) {
        assert.include(JSON.stringify(JSON.parse(made[name]!)), '"coffer":{')
      }
      assert.isTrue(Object.values(yield* acts("setup", folder)).every((done) => done === "unchanged"))
      assert.deepStrictEqual(contentOf(folder), made)
      yield* acts("remove", folder)
      assert.deepStrictEqual(contentOf(folder), {})
      assert.isTrue(Object.values(yield* acts("remove", folder)).every((done) => done === "unchanged"))
    }).pipe(Effect.scoped)
  )

  it.live("changes nothing else in files that are there, and gives them back to the byte", () =>
    Effect.gen(function* () {
      const folder = yield* project
      put(folder, existing)
      const before = contentOf(folder)
      const done = yield* acts("setup", folder)
      for (const name of [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", "AGENTS.md"]) {
        assert.strictEqual(done[name], "changed", name)
      }
      const merged = JSON.parse(contentOf(folder)[".mcp.json"]!)
      assert.deepStrictEqual(Object.keys(merged.mcpServers).toSorted(), ["coffer", "mine"])
      assert.include(contentOf(folder)[".vscode/mcp.json"], "// Ours.")
      yield* acts("remove", folder)
      assert.deepStrictEqual(contentOf(folder), before)
    }).pipe(Effect.scoped)
  )

  it.live("leaves what a person has changed, and says so", () =>
    Effect.gen(function* () {
      const folder = yield* project
      const own = '{ "mcpServers": { "coffer": { "command": "mine" } } }'
      put(folder, { ".mcp.json": own, ".cursor/mcp.json": "[]" })
      const done = yield* acts("setup", folder)
      assert.deepStrictEqual([done[".mcp.json"], done[".cursor/mcp.json"]], ["left", "left"])
      const skill = path.join(folder, ".claude/skills/coffer/SKILL.md")
      writeFileSync(skill, "mine\n")
      assert.strictEqual((yield* acts("setup", folder))[".claude/skills/coffer/SKILL.md"], "left")
      yield* acts("remove", folder)
      assert.deepStrictEqual(contentOf(folder), {
        ".claude": "",
        ".claude/skills": "",
        ".claude/skills/coffer": "",
        ".claude/skills/coffer/SKILL.md": "mine\n",
        ".cursor": "",
        ".cursor/mcp.json": "[]",
        ".mcp.json": own
      })
      const { stdout } = yield* typed(["agent", "setup", folder], env)
      assert.match(stdout, /^left {7}\.mcp\.json: it has another mcpServers\.coffer$/m)
    }).pipe(Effect.scoped)
  )
})
