/**
 * `node packages/bench/src/credentials/main.ts [seconds]`: one address sends 500 wrong keys a second for a minute, from
 * a process of its own. Shows how fast another address is answered before, meanwhile, and beside as many right keys,
 * and what the service remembers and writes. It starts a service on an embedded Postgres, and ends both.
 */
import { execFile, spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { say } from "../say.ts"
import { type Answer, type Ask, clientOf, sendAt } from "./client.ts"

const rates = { many: 500, few: 20 }
const addresses = { many: "203.0.113.7", few: "198.51.100.1" }

const balanceBy = (ask: Ask, key: string, address: string) =>
  ask("/v1/balance", { "x-api-key": key, "x-forwarded-for": address })

/** In a process of its own: `send <port> <seconds> <key>`, or a wrong key each time where none is given. */
const send = async (port: number, seconds: number, key: string | undefined) => {
  const ask = clientOf(port)
  const answers = await sendAt(rates.many, seconds, (n) => balanceBy(ask, key ?? `svc_test_${n}`, addresses.many))
  process.stdout.write(JSON.stringify(answers.map(({ millis, status }) => ({ millis, status, text: "" }))))
}

const sendElsewhere = async (port: number, seconds: number, ...key: ReadonlyArray<string>) => {
  const words = [import.meta.filename, "send", String(port), String(seconds), ...key]
  const { stdout } = await promisify(execFile)(process.execPath, words, { maxBuffer: 100e6 })
  return JSON.parse(stdout) as ReadonlyArray<Answer>
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const quantile = (answers: ReadonlyArray<Answer>, share: number) => {
  const sorted = answers.map(({ millis }) => millis).toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1)
}
const statusesOf = (answers: ReadonlyArray<Answer>) =>
  [...Map.groupBy(answers, ({ status }) => status)].map(([status, some]) => `${some.length} × ${status}`).join(", ")
const tell = (name: string, answers: ReadonlyArray<Answer>) =>
  console.log(
    `${name.padEnd(40)} median ${quantile(answers, 0.5)} ms, 95 % ${quantile(answers, 0.95)} ms, ` +
      `99 % ${quantile(answers, 0.99)} ms; ${statusesOf(answers)}`
  )

const metricOf = async (ask: Ask, name: string) => {
  const { text } = await ask("/metrics", {})
  const line = text.split("\n").find((each) => each.startsWith(name))
  return Number(line?.split(" ").at(-1))
}

const measure = async (port: number, home: string, seconds: number, logged: () => string) => {
  const ask = clientOf(port)
  say("starts the service")
  while ((await ask("/readyz", {}).catch(() => undefined))?.status !== 200) await sleep(200)
  const { merchant_id, operator_token, sandbox_key } = JSON.parse(readFileSync(`${home}/credentials.json`, "utf8"))
  const quotas = { quotas: { reads: 1_000_000 } }
  await ask(`/operator/v1/merchants/${merchant_id}`, { authorization: `Bearer ${operator_token}` }, quotas)
  const few = () => sendAt(rates.few, seconds, () => balanceBy(ask, sandbox_key, addresses.few))
  await sendAt(rates.few, 5, () => balanceBy(ask, sandbox_key, addresses.few))

  say(`another address alone, ${seconds} s`)
  tell("another address alone", await few())
  say(`beside ${rates.many} right keys a second, ${seconds} s`)
  const [besideRight] = await Promise.all([few(), sendElsewhere(port, seconds, sandbox_key)])
  tell(`beside ${rates.many} right keys a second`, besideRight)
  const heapBefore = await metricOf(ask, "coffer_heap_used_bytes")
  say(`beside ${rates.many} wrong keys a second, ${seconds} s`)
  const [besideWrong, wrong] = await Promise.all([few(), sendElsewhere(port, seconds)])
  tell(`beside ${rates.many} wrong keys a second`, besideWrong)
  tell("the wrong keys", wrong)
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
  const heapAfter = await metricOf(ask, "coffer_heap_used_bytes")
  const counted = await metricOf(ask, 'coffer_credentials_refused_total{of="merchant"}')
  const lines = logged()
    .split("\n")
    .filter((line) => line.includes(addresses.many))
  console.log(`${counted} of ${wrong.length} in the metric, ${lines.length} lines of the log`)
  console.log(`heap ${megabytes(heapBefore)} before, ${megabytes(heapAfter)} after`)
}

const measureOwn = async (seconds: number) => {
  const port = await freePort()
  const folder = mkdtempSync(path.join(tmpdir(), "coffer-credentials-"))
  // Where root starts it, Postgres is another user, who walks through here.
  chmodSync(folder, 0o711)
  const home = path.join(folder, "home")
  const service = spawn(process.execPath, ["src/main.ts", "serve"], {
    env: { PATH: process.env["PATH"] ?? "", PORT: String(port), COFFER_HOME: home, TRUSTED_PROXIES: "127.0.0.1" },
    stdio: ["ignore", "ignore", "pipe"]
  })
  let log = ""
  service.stderr.setEncoding("utf8").on("data", (text: string) => (log += text))
  const ended = new Promise((resolve) => service.once("exit", resolve))
  await measure(port, home, seconds, () => log).finally(async () => {
    service.kill("SIGTERM")
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  process.exit()
}

const [command = "60", port, seconds, key] = process.argv.slice(2)
await (command === "send" ? send(Number(port), Number(seconds), key) : measureOwn(Number(command)))
