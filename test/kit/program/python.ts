/** Python as a merchant has it, where it is installed with httpx; the suites that need it say so when it is not. */
import { spawn, spawnSync } from "node:child_process"

const isEnough = "import sys, httpx; sys.exit(sys.version_info < (3, 11))"

/** The distribution's own first: another may stand before it on the path, without its packages. */
const program = ["/usr/bin/python3", "python3"].find((each) => spawnSync(each, ["-c", isEnough]).status === 0)

/** For a suite's name: why it is left out. */
export const needsPython = program === undefined ? " (left out: no Python 3.11 with httpx is installed)" : ""

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs until it ends. It writes no compiled files, and asks no proxy. */
export const pythonRun = (words: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  new Promise<Ended>((resolve) => {
    const child = spawn(program!, ["-B", "-W", "error", ...words], {
      env: { PATH: process.env["PATH"] ?? "", PYTHONUTF8: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  })
