/** `/downloads`: what is built is installed from its address and runs, with no registry to ask; the rest says how. */
import { execFile, execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { packedProject } from "../../kit/program/packedProject.ts"
import { servedDownloads } from "../../kit/program/servedDownloads.ts"
import { needsPython, pythonRun } from "../../kit/program/python.ts"
import { onOneService, sharedService } from "../../kit/Service.ts"

const run = promisify(execFile)
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const emptyFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-downloads-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** Packs the clients as `npm run packages` names them, with their hashes. */
const packed = Effect.fnUntraced(function* (folder: string) {
  mkdirSync(folder)
  const archived = Effect.fnUntraced(function* (name: "cli" | "sdk") {
    const project = packedProject(name)
    // The command line's manifest changes while it is packed.
    yield* Effect.promise(() => (name === "cli" ? project.packCopy() : project.pack()))
    const archive = readdirSync(project.folder).find((file) => file.endsWith(".tgz"))!
    writeFileSync(path.join(folder, archive), readFileSync(path.join(project.folder, archive)))
    project.remove()
    return archive
  })
  const archive = yield* archived("sdk")
  yield* archived("cli")
  execFileSync("python3", ["packages/python/scripts/wheel.py", folder])
  const names = readdirSync(folder).toSorted()
  const lines = names.map((name) => `${sha256(readFileSync(path.join(folder, name)))}  ${name}\n`)
  writeFileSync(path.join(folder, "SHA256SUMS"), lines.join(""))
  return { archive, wheel: names.find((name) => name.endsWith(".whl"))! }
})

describe(`what is offered at /downloads${needsPython}`, { skip: needsPython !== "" }, () => {
  it.live(
    "is installed by npm and by pip in an empty folder from its address, runs, and has the hash that is told",
    () =>
      Effect.gen(function* () {
        const at = yield* emptyFolder
        const { archive, wheel } = yield* packed(path.join(at, "release"))
        const address = yield* servedDownloads(path.join(at, "release"))
        const fetched = (name: string) => Effect.promise(() => fetch(`${address}/downloads${name}`))
        const page = yield* Effect.promise(async () => (await fetch(`${address}/downloads`)).text())
        assert.include(page, `npm install ${address}/downloads/coffer-sdk.tgz`)
        assert.include(page, `pip install ${address}/downloads/${wheel}`)
        const sums = yield* Effect.promise(async () => (await fetch(`${address}/downloads/SHA256SUMS`)).text())
        for (const name of [archive, "coffer-sdk.tgz", wheel]) {
          const bytes = yield* Effect.flatMap(fetched(`/${name}`), (reply) => Effect.promise(() => reply.bytes()))
          assert.include(sums, `${sha256(bytes)}  ${name}\n`)
          assert.include(page, sha256(bytes))
        }
        const markdown = yield* fetched(".md")
        assert.strictEqual(markdown.headers.get("content-type"), "text/markdown; charset=utf-8")
        const text = yield* Effect.promise(() => markdown.text())
        assert.include(text, `\`\`\`sh\nnpm install ${address}/downloads/coffer-sdk.tgz\n\`\`\``)
        for (const name of ["/none.tgz", "/..%2fpackage.json"]) assert.strictEqual((yield* fetched(name)).status, 404)

        const shop = path.join(at, "shop")
        mkdirSync(shop)
        writeFileSync(path.join(shop, "package.json"), `{ "name": "shop", "private": true, "type": "module" }`)
        // Port 1 answers nobody: whatever npm asks a registry for fails.
        const nobody = ["--registry", "http://127.0.0.1:1", "--fetch-retries", "0", "--no-audit", "--no-fund"]
        const installs = ["install", ...nobody, `${address}/downloads/coffer-sdk.tgz`]
        yield* Effect.promise(() => run("npm", installs, { cwd: shop }))
        const says = `import { Coffer } from "@coffer/sdk"; console.log(typeof Coffer)`
        const said = yield* Effect.promise(() => run(process.execPath, ["-e", says], { cwd: shop }))
        assert.strictEqual(said.stdout, "function\n")

        // As the page says it, with an empty cache: it brings all that it needs.
        const command = [
          "--yes",
          ...nobody,
          "--cache",
          path.join(at, "cache"),
          "-p",
          `${address}/downloads/coffer-cli.tgz`
        ]
        assert.include(page, `npx -p ${address}/downloads/coffer-cli.tgz coffer --help`)
        const help = yield* Effect.promise(() => run("npx", [...command, "coffer", "--help"], { cwd: shop }))
        assert.match(help.stdout, /^ {2}orders {2,}/m)

        const place = path.join(at, "python")
        const words = ["-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--target", place]
        const pip = yield* Effect.promise(() => pythonRun([...words, `${address}/downloads/${wheel}`]))
        assert.strictEqual(pip.code, 0, pip.stderr)
        const imported = "import coffer; print(coffer.Coffer.__name__)"
        const python = yield* Effect.promise(() => pythonRun(["-c", imported], { PYTHONPATH: place }))
        assert.strictEqual(python.stdout, "Coffer\n", python.stderr)
      }),
    300_000
  )
})

onOneService((it) => {
  it.effect("a program without built packages says how to build them", () =>
    Effect.gen(function* () {
      const { api } = yield* sharedService
      const page = yield* api.call("GET", "/downloads")
      assert.include([200, 404], page.status)
      assert.include(page.text, page.status === 404 ? "npm run packages" : "SHA256SUMS")
    })
  )
})
