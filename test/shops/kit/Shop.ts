/** A shop system in a process of its own, as a merchant runs it, with the packages that were installed beside it. */
import { spawn } from "node:child_process"
import path from "node:path"
import { createInterface } from "node:readline"
import { freePort } from "../../../packages/testkit/src/freePort.ts"
import { Effect } from "effect"

export interface Shop {
  readonly url: string
  /** What the shop says by that name; at once if it has said so before. Without a value: whatever it is. */
  // oxlint-disable-next-line no-explicit-any -- a test reads what it expects
  readonly hears: (name: string, value?: string) => Promise<any>
  /** Asks again whenever the shop has said something, until there is an answer. */
  readonly until: <A>(ask: () => Promise<A | undefined>) => Promise<A>
  readonly stop: () => Promise<void>
}

export const newPort = (): Promise<number> => Effect.runPromise(freePort)

/** `folder`: below `test/shops`. Resolves when the shop is ready, and fails with what it has written when it ends. */
export const startShop = async (folder: string, port: number, env: Readonly<Record<string, string>>): Promise<Shop> => {
  const home = path.join(import.meta.dirname, "..", folder)
  const written: Array<string> = []
  const child = spawn(process.execPath, ["shop.mjs"], {
    cwd: home,
    env: { ...process.env, ...env, PORT: String(port), NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const lines: Array<Readonly<Record<string, unknown>>> = []
  const waiting = new Set<() => void>()
  const wake = () => waiting.forEach((look) => look())
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on("line", (line) => {
      written.push(line)
      if (process.env["SHOP_LOG"] !== undefined) console.log(line)
      if (!line.startsWith('{"') || line.startsWith('{"level')) return
      lines.push(JSON.parse(line))
      wake()
    })
  }
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  void ended.then(wake)

  const hears = (name: string, value?: string) =>
    new Promise<unknown>((resolve, reject) => {
      const look = () => {
        const found = lines.find((line) => name in line && (value === undefined || line[name] === value))
        if (found !== undefined) resolve(found[name])
        else if (child.exitCode !== null) reject(new Error(written.slice(-60).join("\n")))
        else return
        waiting.delete(look)
      }
      waiting.add(look)
      look()
    })

  const saysMore = (than: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (lines.length === than && child.exitCode === null) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })

  const until = async <A>(ask: () => Promise<A | undefined>): Promise<A> => {
    for (;;) {
      const said = lines.length
      const found = await ask()
      if (found !== undefined) return found
      await saysMore(said)
    }
  }

  await hears("ready")
  return {
    url: `http://127.0.0.1:${port}`,
    hears,
    until,
    stop: () => {
      child.kill("SIGKILL")
      return ended
    }
  }
}
