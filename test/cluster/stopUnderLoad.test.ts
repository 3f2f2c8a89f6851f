/** A stop while clients are busy and while the database is slow. */
import http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Coffer, demoKey, eventually, launch, newHome, run } from "../kit/Process.ts"
import { freePort, freshDatabase, operatorToken, secretKey } from "../kit/Service.ts"
import { cable } from "../kit/Cable.ts"

const shared = { SECRET_KEY: secretKey, OPERATOR_TOKEN: operatorToken }

/** A Coffer on a database that others may share; a member of a cluster when it has a runner port. */
const onDatabase = Effect.fnUntraced(function* (url: string, env: Record<string, string> = {}) {
  return yield* run({ env: { COFFER_HOME: yield* newHome, DATABASE_URL: url, ...shared, ...env } })
})
const asMember = Effect.map(freePort, (port) => ({ RUNNER_HOST: "127.0.0.1", RUNNER_PORT: String(port) }))

/** What nobody wants to be woken up for. */
const alarms = ({ said }: Coffer) => said.stderr.split("\n").filter((line) => !/^$|"level":"(INFO|DEBUG)"/.test(line))

type Outcome = "refused" | "cut" | { readonly status: number; readonly body: string }

/** One call on a connection that is kept. `refused`: a new connection was, so nothing was sent. */
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

/** Clients that create and pay on kept connections until they are refused; calls back on each payment. */
const busyClients = (count: number, port: number, key: string, onPaid: (paid: number) => void) =>
  Effect.promise(async () => {
    const agent = new http.Agent({ keepAlive: true })
    const outcomes: Array<Outcome> = []
    let paid = 0
    const client = async () => {
      for (;;) {
        const made = await ask(agent, port, "/v1/orders", key, { amount: 1000 })
        outcomes.push(made)
        if (typeof made === "string") return
        const path = `/v1/test_helpers/orders/${JSON.parse(made.body).data.trade_no}/pay`
        const done = await ask(agent, port, path, key, {})
        outcomes.push(done)
        if (typeof done === "string") return
        onPaid(++paid)
      }
    }
    await Promise.all(Array.from({ length: count }, client))
    agent.destroy()
    return outcomes
  })

describe("a stop", () => {
  it.live("under load answers every request that was sent, exits 0, and logs nothing alarming", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      const coffer = yield* run({ env: { COFFER_HOME: home } })
      const key = yield* demoKey(coffer, home)
      const stopAt = (paid: number) => paid === 300 && coffer.signal("SIGTERM")
      const outcomes = yield* busyClients(64, coffer.port, key, stopAt)
      const refused = outcomes.filter((outcome) => outcome === "refused")
      assert.lengthOf(refused, 64, "each client was refused at the end, and none was cut off")
      const statuses = new Set(outcomes.map((outcome) => (typeof outcome === "string" ? outcome : outcome.status)))
      assert.deepStrictEqual([...statuses].toSorted(), [200, 201, "refused"])
      assert.deepStrictEqual(yield* coffer.ended, { code: 0, signal: null })
      assert.deepStrictEqual(alarms(coffer), [])
    })
  )

  it.live("on a database 20 ms away releases its locks in time: no release is tried again", () =>
    Effect.gen(function* () {
      const { url } = yield* cable(yield* freshDatabase, { delayMillis: 10 })
      const coffer = yield* onDatabase(url)
      coffer.signal("SIGTERM")
      assert.deepStrictEqual(yield* coffer.ended, { code: 0, signal: null })
      assert.deepStrictEqual(alarms(coffer), [])
    })
  )
})

const gauge = Effect.fnUntraced(function* ({ baseUrl }: Coffer, name: string) {
  const text = yield* Effect.promise(() => fetch(`${baseUrl}/metrics`).then((response) => response.text()))
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1])
})

describe("of two runners", () => {
  it.live("the one that stays counts the other while it lives, and calls neither its stop nor its death an error", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const stays = yield* onDatabase(database, yield* asMember)
      const counts = (runners: number) =>
        eventually(
          `${runners} runners`,
          Effect.map(gauge(stays, "effect_cluster_runners"), (found) => found === runners)
        )
      yield* counts(1)
      const stops = yield* onDatabase(database, yield* asMember)
      yield* counts(2)
      stops.signal("SIGTERM")
      assert.deepStrictEqual(yield* stops.ended, { code: 0, signal: null })
      yield* counts(1)
      const dies = yield* onDatabase(database, yield* asMember)
      yield* counts(2)
      dies.signal("SIGKILL")
      yield* dies.ended
      yield* counts(1)
      const routine = /REDIS_URL is not set/
      for (const coffer of [stays, stops, dies]) {
        assert.deepStrictEqual(
          alarms(coffer).filter((line) => !routine.test(line)),
          []
        )
      }
    })
  )
})

describe("npm start", () => {
  it.live("hands SIGTERM on to the service, which ends before npm does", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      const coffer = yield* launch({ env: { COFFER_HOME: home }, through: "npm start" })
      yield* coffer.ready
      coffer.signal("SIGTERM")
      yield* coffer.ended
      const refused = yield* Effect.promise(() =>
        fetch(`${coffer.baseUrl}/healthz`).then(
          () => false,
          () => true
        )
      )
      assert.isTrue(refused, "the service still runs")
    })
  )
})
