/**
 * `node packages/bench/src/credentials/main.ts [seconds]`: one address sends 500 wrong keys a second for a minute.
 * Shows how fast another address is answered before and meanwhile, and what the service remembers and writes. It
 * starts a service of its own on an embedded Postgres, and ends both.
 */
import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { Agent, request } from "node:http"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { say } from "../say.ts"

const seconds = Number(process.argv[2] ?? 60)
const rates = { wrong: 500, right: 20 }
const addresses = { wrong: "203.0.113.7", right: "198.51.100.1" }

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

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

const agent = new Agent({ keepAlive: true, maxSockets: 50 })

interface Answer {
  readonly status: number
  readonly millis: number
  readonly text: string
}

const ask = (way: string, headers: Record<string, string>, body?: object) =>
  new Promise<Answer>((resolve, reject) => {
    const began = performance.now()
    const json = body === undefined ? {} : { "content-type": "application/json" }
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path: way,
        method: body === undefined ? "GET" : "POST",
        headers: { ...headers, ...json },
        agent
      },
      (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (part: string) => (text += part))
        response.on("end", () => resolve({ status: response.statusCode ?? 0, millis: performance.now() - began, text }))
      }
    )
    sent.once("error", reject).end(body === undefined ? undefined : JSON.stringify(body))
  })

/** Sends at a rate, whether or not the answers come, and waits for all of them. */
const sendAt = async (rate: number, forSeconds: number, send: (n: number) => Promise<Answer>) => {
  const began = performance.now()
  const answers: Array<Promise<Answer>> = []
  for (let n = 0; n < rate * forSeconds; n++) {
    const wait = began + (n * 1_000) / rate - performance.now()
    if (wait > 1) await sleep(wait)
    answers.push(send(n))
  }
  return Promise.all(answers)
}

const quantile = (answers: ReadonlyArray<Answer>, share: number) => {
  const sorted = answers.map(({ millis }) => millis).toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1)
}
const speed = (name: string, answers: ReadonlyArray<Answer>) =>
  `${name.padEnd(26)} ${String(answers.length).padStart(6)} answers, median ${quantile(answers, 0.5)} ms, ` +
  `99 % ${quantile(answers, 0.99)} ms, worst ${quantile(answers, 1)} ms`

const statusesOf = (answers: ReadonlyArray<Answer>) =>
  [...Map.groupBy(answers, ({ status }) => status)].map(([status, some]) => `${some.length} × ${status}`).join(", ")

const metric = async (name: string) => {
  const { text } = await ask("/metrics", {})
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(name))
      ?.split(" ")
      .at(-1)
  )
}

const measure = async () => {
  say("starts the service")
  while ((await ask("/readyz", {}).catch(() => undefined))?.status !== 200) await sleep(200)
  const { merchant_id, operator_token, sandbox_key } = JSON.parse(readFileSync(`${home}/credentials.json`, "utf8"))
  const quotas = { quotas: { reads: 1_000_000 } }
  await ask(`/operator/v1/merchants/${merchant_id}`, { authorization: `Bearer ${operator_token}` }, quotas)
  const right = () => ask("/v1/balance", { "x-api-key": sandbox_key, "x-forwarded-for": addresses.right })
  const wrong = (n: number) => ask("/v1/balance", { "x-api-key": `svc_test_${n}`, "x-forwarded-for": addresses.wrong })
  await sendAt(rates.right, 5, right)

  say(`another address alone, ${seconds} s`)
  const before = await sendAt(rates.right, seconds, right)
  const heapBefore = await metric("coffer_heap_used_bytes")
  say(`and ${rates.wrong} wrong keys a second beside it, ${seconds} s`)
  const [meanwhile, refused] = await Promise.all([
    sendAt(rates.right, seconds, right),
    sendAt(rates.wrong, seconds, wrong)
  ])
  const heapAfter = await metric("coffer_heap_used_bytes")
  const lines = log.split("\n").filter((line) => line.includes(addresses.wrong)).length
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
  console.log(speed("another address, alone", before))
  console.log(speed("another address, meanwhile", meanwhile))
  console.log(speed("wrong keys", refused))
  console.log(`other address: ${statusesOf(meanwhile)}; wrong keys: ${statusesOf(refused)}`)
  console.log(`metric: ${await metric('coffer_credentials_refused{of="merchant"}')} of ${refused.length} wrong keys`)
  console.log(`log: ${lines} lines; heap: ${megabytes(heapBefore)} before, ${megabytes(heapAfter)} after`)
}

await measure().finally(async () => {
  agent.destroy()
  service.kill("SIGTERM")
  await ended
  rmSync(folder, { recursive: true, force: true })
})
