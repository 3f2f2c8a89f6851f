/**
 * Beside clients that hold as much as they can, no other client is refused (silences: U12, U19), and the service's
 * process stays below the memory that docs/security.md says. By default small; in the soak with 1,000 requests of
 * others and 9,000 connections, and it prints how long the others waited and the memory. HOLDERS_REQUESTS and
 * HOLDERS_CONNECTIONS say other numbers.
 */
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { announcing, type Call, ask, asking, callWithoutEnd, holdMany, type Outcome } from "../../kit/faults/holders.ts"
import type { Api } from "../../kit/Api.ts"
import { newHome, run } from "../../kit/Process.ts"
import { freshDatabase, operatorToken, secretKey } from "../../kit/Service.ts"
import { rounds } from "../../kit/run/soak.ts"

const requests = Number(process.env["HOLDERS_REQUESTS"] ?? rounds(100, 1_000))
const connections = Number(process.env["HOLDERS_CONNECTIONS"] ?? rounds(700, 9_000))
/** Megabytes of the process (docs/security.md). */
const residentMax = Number(process.env["HOLDERS_RESIDENT_MB"] ?? 1_100)

/** A key that calls without end has so many calls refused for each that its quota lets through. */
const timesAboveQuota = 49
/** Writes a minute of that key: so few that a busy machine answers 50 times as many. */
const attackersQuota = 6

const json = { "Content-Type": "application/json" }

/** Everybody else, each from an address of its own. */
const others = Effect.fnUntraced(function* ({ api }: Stage) {
  const live = yield* api.newMerchant()
  const settings = { approved: true, live_currencies: ["USD"], live: { default_notify_url: "https://example.com/h" } }
  yield* api.operator("POST", `/merchants/${live.merchantId}`, settings)
  yield* api.operator("POST", `/merchants/${live.merchantId}`, { quotas: { reads: 100_000, writes: 100_000 } })
  const { body } = yield* api.post("/v1/orders", live.liveKey, { amount: 500 })
  const page = new URL(body.data.checkout_url).pathname
  const key = { "X-Api-Key": live.liveKey }
  const token = { Authorization: `Bearer ${operatorToken}` }
  const form = { "Content-Type": "application/x-www-form-urlencoded" }
  const calls: ReadonlyArray<Call> = [
    { what: "a live list", path: "/v1/orders?limit=1", headers: key },
    { what: "a live order", method: "POST", path: "/v1/orders", headers: { ...key, ...json }, body: '{"amount":5}' },
    { what: "a buyer's page", path: page },
    { what: "a buyer's payment", method: "POST", path: page, headers: form, body: "step=pay&method=card&number=1" },
    { what: "the operator", path: `/operator/v1/merchants/${live.merchantId}`, headers: token },
    {
      what: "an act of the operator",
      method: "POST",
      path: `/operator/v1/merchants/${live.merchantId}`,
      headers: { ...token, ...json },
      body: '{"name":"other"}'
    },
    { what: "/healthz", path: "/healthz" },
    { what: "/readyz", path: "/readyz" },
    { what: "/metrics", path: "/metrics" }
  ]
  return calls
})

/** An order with as much metadata as there may be: a page of them has some ten megabytes. */
const largeOrder = () => {
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, "😀".repeat(500)]))
  return { amount: 5, metadata }
}

const p99 = (outcomes: ReadonlyArray<Outcome>) =>
  outcomes.map(({ millis }) => millis).toSorted((a, b) => a - b)[Math.floor(outcomes.length * 0.99)]!

interface Stage {
  readonly api: Api
  readonly port: number
  /** Calls of those who call without end: how many their quota let through, and how many it refused. */
  readonly calls: { admitted: number; refused: number }
}

/** Megabytes that the process has had in memory at most; 0 where the system does not report them. */
const residentPeak = (pid: number): number => {
  if (process.platform !== "linux") return 0
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!
  return Number(kilobytes) / 1_000
}

/** They filled the room for one party to the last byte, when what was announced was reserved. */
const announced = [
  { bytes: 424_000, count: 100 },
  ...[100_000, 10_000, 1_000, 100, 15].map((bytes) => ({ bytes, count: 40 }))
]

/** Those who hold something, for as long as the scope. */
const holders = {
  silent: ({ port }: Stage) =>
    holdMany(connections, (index) => ({ port, from: `127.0.3.${1 + (index % 5)}`, sent: "" })),

  readers: ({ port }: Stage) =>
    holdMany(75, (index) => ({ port, from: `127.0.2.${1 + (index % 5)}`, sent: asking("/docs/try", undefined, 6) })),

  senders: Effect.fnUntraced(function* ({ api, port }: Stage) {
    const keys = yield* Effect.all(Array.from({ length: 5 }, () => Effect.map(api.newMerchant(), (m) => m.sandboxKey)))
    // The largest first: those that come later take what is left.
    for (const { bytes, count } of announced) {
      yield* holdMany(count, (index) => ({
        port,
        from: `127.0.4.${1 + (index % 4)}`,
        sent: announcing(bytes, keys[index % keys.length]!)
      }))
      for (const key of keys) yield* api.get("/v1/balance", key)
    }
  }),

  lists: Effect.fnUntraced(function* ({ api, port }: Stage) {
    const { sandboxKey: key } = yield* api.newMerchant()
    const create = api.post("/v1/orders", key, largeOrder())
    yield* Effect.all(
      Array.from({ length: 100 }, () => create),
      { concurrency: 4 }
    )
    yield* holdMany(28, () => ({ port, from: "127.0.5.1", sent: asking("/v1/orders?limit=100", key) }))
  }),

  callers: Effect.fnUntraced(function* ({ api, calls, port }: Stage) {
    const { merchantId, sandboxKey } = yield* api.newMerchant()
    yield* api.operator("POST", `/merchants/${merchantId}`, { quotas: { writes: attackersQuota } })
    yield* callWithoutEnd({ port, from: "127.0.7.1", key: sandboxKey }, calls)
  })
}

const beside = Effect.fnUntraced(function* (...kinds: ReadonlyArray<keyof typeof holders>) {
  const service = yield* run({
    env: {
      COFFER_HOME: yield* newHome,
      DATABASE_URL: yield* freshDatabase,
      SECRET_KEY: secretKey,
      OPERATOR_TOKEN: operatorToken,
      CLIENT_CONNECTIONS: String(connections)
    }
  })
  const { pid, port } = service
  const calls = { admitted: 0, refused: 0 }
  const stage: Stage = { api: service.api, port, calls }
  const theirs = yield* others(stage)
  for (const kind of kinds) yield* holders[kind](stage)
  const outcomes: Array<Outcome> = []
  const isTimesAboveQuota = () => calls.admitted > 0 && calls.refused >= timesAboveQuota * calls.admitted
  const isOver = (count: number) => count >= requests && (!kinds.includes("callers") || isTimesAboveQuota())
  for (let count = 0; !isOver(count); count++) {
    const call = theirs[count % theirs.length]!
    outcomes.push(yield* ask(port, { ...call, from: `127.0.6.${1 + (count % 200)}` }))
  }
  const resident = residentPeak(pid)
  if (requests >= 1_000) {
    const told = `${outcomes.length} of others: p99 ${p99(outcomes).toFixed(0)} ms, ${resident.toFixed()} MB`
    console.log(`${kinds.join()}: ${told}; calls above the quota: ${JSON.stringify(calls)}`)
  }
  const refused = outcomes.filter(({ status }) => status === 0 || status >= 400)
  const kindsOf = Map.groupBy(refused, ({ status, what }) => `${what} ${status}`)
  assert.deepStrictEqual(Object.fromEntries([...kindsOf].map(([kind, some]) => [kind, some.length])), {})
  assert.isBelow(resident, residentMax)
})

it.live("75 connections that ask for the reference and read nothing keep no other party out", () => beside("readers"))

it.live("300 connections that announce bodies and send nothing keep no other party out", () => beside("senders"))

it.live("as many silent connections as there may be keep no other party out", () => beside("silent"))

it.live("28 unread long lists of one key keep no other party out", () => beside("lists"))

it.live("a key that calls at 50 times its quota keeps no other party out", () => beside("callers"))

it.live("all of these at once keep no other party out", () =>
  beside("silent", "readers", "senders", "lists", "callers")
)
