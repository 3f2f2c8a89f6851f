/** A command of `coffer` as an operator runs it, in a process of its own, until it has ended. */
import { spawn } from "node:child_process"
import path from "node:path"
import { Effect } from "effect"
import { inject } from "vitest"

const repository = path.resolve(import.meta.dirname, "../../..")

interface Said {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Nothing is inherited from the tests' own environment but what finds programs. */
export const commandRun = (
  words: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  program = inject("program")
) =>
  Effect.callback<Said>((resume) => {
    const child = spawn(process.execPath, [program, ...words], {
      cwd: repository,
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.once("close", (code) => resume(Effect.succeed({ code, stdout, stderr })))
  })
