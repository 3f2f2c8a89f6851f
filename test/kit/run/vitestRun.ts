/** A run of Vitest on files of its own, for tests of what watches and judges runs. */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { Effect } from "effect"

export const repository = path.resolve(import.meta.dirname, "../../..")

interface Run {
  /** Tests by the names of their files, without the line that imports `expect` and `it`. */
  readonly files: Readonly<Record<string, string>>
  /** The text of vitest.config.ts. */
  readonly config: string
  /** The arguments of Node, which runs in the folder of the files. */
  readonly words: ReadonlyArray<string>
}

/** How it ended, and all that it said. Its folder goes with the scope. */
export const vitestRun = Effect.fnUntraced(function* ({ config, files, words }: Run) {
  const cache = path.join(repository, "node_modules/.cache")
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(path.join(cache, "run-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
  for (const [name, test] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), `import { expect, it } from "vitest"\n${test}`)
  }
  writeFileSync(path.join(folder, "vitest.config.ts"), config)
  return yield* Effect.callback<{ readonly code: number | null; readonly said: string }>((resume) => {
    const child = spawn(process.execPath, words, {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let said = ""
    const hear = (text: string) => (said += text)
    child.stdout.setEncoding("utf8").on("data", hear)
    child.stderr.setEncoding("utf8").on("data", hear)
    child.once("close", (code) => resume(Effect.succeed({ code, said: said.trimEnd() })))
  })
})
