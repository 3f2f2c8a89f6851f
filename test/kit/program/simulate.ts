/** `npm run simulate`, as a test runs it. */
import { execFile } from "node:child_process"

export interface Simulated {
  readonly code: number
  readonly output: string
}

const program = "packages/simulation/src/main.ts"

export const simulate = (...args: ReadonlyArray<string>): Promise<Simulated> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { maxBuffer: 16 * 1024 ** 2 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1)
      resolve({ code, output: `${stdout}${stderr}` })
    })
  })
