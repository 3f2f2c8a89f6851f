/** `npm run simulate` and `npm run oracle`, as a test runs them. */
import { execFile } from "node:child_process"

export interface Simulated {
  readonly code: number
  readonly output: string
}

const run = (program: string, args: ReadonlyArray<string>): Promise<Simulated> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { maxBuffer: 16 * 1024 ** 2 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1)
      resolve({ code, output: `${stdout}${stderr}` })
    })
  })

export const simulate = (...args: ReadonlyArray<string>) => run("packages/simulation/src/main.ts", args)
export const oracle = (...args: ReadonlyArray<string>) => run("packages/oracle/src/main.ts", args)
