/** Clients that create orders and pay them on connections that they keep, and no more than connect again. */
import http from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Coffer } from "../Process.ts"

/** Lines of the log for which an operator may be paged. */
export const alarms = ({ said }: Pick<Coffer, "said">) =>
  said.stderr.split("\n").filter((line) => !/^$|"level":"(INFO|DEBUG)"/.test(line))

/** `refused`: a new connection was, so nothing was sent. `cut`: it broke before the answer had come. */
export type Outcome = "refused" | "cut" | { readonly status: number; readonly body: string }

/** One call on a connection that is kept. */
const ask = (agent: http.Agent, port: number, path: string, key: string, body: unknown) =>
  new Promise<Outcome>((resolve) => {
    const text = JSON.stringify(body)
    const headers = { "X-Api-Key": key, "Content-Type": "application/json", "Content-Length": text.length }
    const request = http.request({ host: "127.0.0.1", port, method: "POST", path, agent, headers }, (response) => {
      const parts: Array<Buffer> = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("end", () => resolve({ status: response.statusCode!, body: Buffer.concat(parts).toString() }))
      response.on("error", () => resolve("cut"))
    })
    request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED" ? "refused" : "cut"))
    request.end(text)
  })

/**
 * Each client goes on until `onPaid` says that it is enough, or until it is refused or cut at all of the ports. It
 * stays with the port that has answered it. `restMillis`: how long it rests after each payment.
 */
export const busyClients = (
  count: number,
  ports: ReadonlyArray<number>,
  key: string,
  onPaid: (paid: number) => "enough" | void,
  restMillis = 0
) =>
  Effect.promise(async () => {
    const agent = new http.Agent({ keepAlive: true })
    const outcomes: Array<Outcome> = []
    let paid = 0
    let isOver = false
    const client = async (_: unknown, index: number) => {
      let at = index
      const call = async (path: string, body: unknown) => {
        for (let tries = 1; ; tries++) {
          const outcome = await ask(agent, ports[at % ports.length]!, path, key, body)
          if (outcome !== "refused" || tries >= ports.length) return outcome
          at++
        }
      }
      while (!isOver) {
        const made = await call("/v1/orders", { amount: 1000 })
        outcomes.push(made)
        if (typeof made === "string") return
        if (made.status !== 201) continue
        const done = await call(`/v1/test_helpers/orders/${JSON.parse(made.body).data.trade_no}/pay`, {})
        outcomes.push(done)
        if (typeof done === "string") return
        if (onPaid(++paid) === "enough") isOver = true
        if (restMillis > 0) await sleep(restMillis)
      }
    }
    await Promise.all(Array.from({ length: count }, client))
    agent.destroy()
    return outcomes
  })

/** How many outcomes of each kind there were. */
export const tally = (outcomes: ReadonlyArray<Outcome>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) {
    const kind = typeof outcome === "string" ? outcome : String(outcome.status)
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

/** Returns how many were answered, all of them well. */
export const assertNoneFailed = (outcomes: ReadonlyArray<Outcome>): number => {
  const { "200": paid = 0, "201": made = 0, ...others } = tally(outcomes)
  const first = outcomes.find((one) => typeof one !== "string" && one.status > 201)
  assert.deepStrictEqual(others, {}, JSON.stringify(first))
  return paid + made
}

/** One request in 500 at most was cut, and one in a hundred told to come back. Returns how many were answered well. */
export const assertFewFailed = (outcomes: ReadonlyArray<Outcome>): number => {
  const { "200": paid = 0, "201": made = 0, "503": late = 0, cut = 0, ...others } = tally(outcomes)
  assert.deepStrictEqual(others, {})
  assert.isAtMost(cut, outcomes.length / 500)
  // A request that waits for an owner gets 503 after 5 s, which a busy machine takes.
  assert.isAtMost(
    late,
    outcomes.length / 100,
    JSON.stringify(outcomes.find((one) => typeof one !== "string" && one.status === 503))
  )
  return paid + made
}
