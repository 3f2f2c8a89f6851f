/** How the process stops, starts again, or does not start: exit codes, one clear line, nothing lost. */
import { once } from "node:events"
import http, { type ClientRequest, type IncomingMessage } from "node:http"
import { createServer, type AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, type Scope } from "effect"
import {
  answered,
  connect,
  credentialsOf,
  databaseOf,
  demoKey,
  eventually,
  launch,
  newHome,
  postgresRuns,
  postmasterOf,
  run
} from "../kit/Process.ts"
import { freePort, freshDatabase, secretKey } from "../kit/Service.ts"
import { stretched } from "../kit/run/slowness.ts"
import { usedHome } from "../kit/program/usedHome.ts"

/** An order whose headers have arrived and whose body is still being sent. */
const beginOrder = (url: string, key: string, body: string) =>
  Effect.promise(async () => {
    const headers = {
      "X-Api-Key": key,
      "Content-Type": "application/json",
      "Content-Length": body.length,
      Expect: "100-continue"
    }
    const request = http.request(`${url}/v1/orders`, { method: "POST", agent: false, headers })
    request.flushHeaders()
    // The server has read the headers: from now on the request is in flight.
    await once(request, "continue")
    return request
  })

const finishOrder = (request: ClientRequest, body: string) =>
  Effect.promise(async () => {
    request.end(body)
    const [response] = (await once(request, "response")) as [IncomingMessage]
    const text = Buffer.concat(await response.toArray()).toString("utf8")
    return { status: response.statusCode, order: JSON.parse(text).data }
  })

/** README: within 10 seconds. */
const assertPrompt = (duration: Duration.Duration) =>
  Effect.map(stretched("10 seconds"), (limit) =>
    assert.isBelow(Duration.toSeconds(duration), Duration.toSeconds(limit))
  )

describe("a stop", () => {
  it.live("SIGTERM finishes what is in flight and exits 0 within 10 s", () =>
    Effect.gen(function* () {
      const home = yield* usedHome
      const coffer = yield* run({ env: { COFFER_HOME: home } })
      const key = yield* demoKey(coffer, home)
      const body = JSON.stringify({ amount: 1999, out_trade_no: "in-flight" })
      const inFlight = yield* beginOrder(coffer.baseUrl, key, body)

      const [duration] = yield* Effect.timed(
        Effect.gen(function* () {
          coffer.signal("SIGTERM")
          const isRefused = Effect.map(answered(coffer.api.get("/healthz")), (reply) => reply === undefined)
          yield* eventually("new connections to be refused", isRefused)
          const { order, status } = yield* finishOrder(inFlight, body)
          assert.deepStrictEqual([status, order.out_trade_no], [201, "in-flight"])
          assert.deepStrictEqual(yield* coffer.ended, { code: 0, signal: null })
        })
      )
      yield* assertPrompt(duration)
      assert.isUndefined(postmasterOf(home), "Postgres ended in good order")
      assert.notMatch(coffer.said.stderr, /"level":"(ERROR|FATAL)"/)
    })
  )

  it.live("a request that never ends does not hold up the stop: it exits 0 within 10 s all the same", () =>
    Effect.gen(function* () {
      const home = yield* usedHome
      const coffer = yield* run({ env: { COFFER_HOME: home } })
      const request = yield* beginOrder(coffer.baseUrl, credentialsOf(home).sandbox_key, "{}")
      request.on("error", () => undefined)
      coffer.signal("SIGTERM")
      const [duration, ended] = yield* Effect.timed(coffer.ended)
      assert.deepStrictEqual(ended, { code: 0, signal: null })
      yield* assertPrompt(duration)
      assert.isUndefined(postmasterOf(home), "Postgres ended in good order")
    })
  )

  it.live("a write that waits for a lock has to be retried, and the stop ends in good order within 10 s", () =>
    Effect.gen(function* () {
      const home = yield* usedHome
      const coffer = yield* run({ env: { COFFER_HOME: home } })
      const key = yield* demoKey(coffer, home)
      const [holder, sql] = [yield* connect(databaseOf(home)), yield* connect(databaseOf(home))]
      const hold = Effect.gen(function* () {
        // Otherwise Postgres itself would end what holds the lock.
        yield* holder`set local idle_in_transaction_session_timeout = 0`
        yield* holder`lock table orders in exclusive mode`
        return yield* Effect.never
      })
      yield* Effect.forkScoped(holder.withTransaction(hold))
      const locks = sql<{ granted: boolean }>`
        select granted from pg_locks where relation = 'orders'::regclass and mode like '%ExclusiveLock'`
      const isHeld = Effect.map(locks, (rows) => rows.some(({ granted }) => granted))
      yield* eventually("the table to be locked", isHeld)
      const write = yield* Effect.forkScoped(answered(coffer.api.post("/v1/orders", key, { amount: 1000 })))
      const hangs = Effect.map(locks, (rows) => rows.some(({ granted }) => !granted))
      yield* eventually("the write to hang", hangs)

      coffer.signal("SIGTERM")
      const [duration, ended] = yield* Effect.timed(coffer.ended)
      yield* assertPrompt(duration)
      assert.deepStrictEqual(ended, { code: 0, signal: null })
      // The drain may be over first.
      const reply = yield* Fiber.join(write)
      assert.strictEqual(reply?.status ?? 503, 503)
    })
  )

  it.live("SIGTERM under load: every payment that was answered is kept, and the others were refused or not made", () =>
    Effect.gen(function* () {
      const home = yield* usedHome
      const env = { COFFER_HOME: home }
      const coffer = yield* run({ env })
      const key = yield* demoKey(coffer, home)
      const paid = new Set<string>()
      const buy = Effect.gen(function* () {
        for (;;) {
          const created = yield* answered(coffer.api.post("/v1/orders", key, { amount: 1000 }))
          if (created === undefined) return
          assert.strictEqual(created.status, 201)
          const tradeNo: string = created.body.data.trade_no
          const reply = yield* answered(coffer.api.post(`/v1/test_helpers/orders/${tradeNo}/pay`, key, {}))
          if (reply === undefined) return
          assert.deepStrictEqual([reply.status, reply.body.data.status], [200, "paid"])
          paid.add(tradeNo)
          if (paid.size === 50) coffer.signal("SIGTERM")
        }
      })
      yield* Effect.replicateEffect(buy, 16, { concurrency: "unbounded", discard: true })
      assert.deepStrictEqual(yield* coffer.ended, { code: 0, signal: null })

      const { api } = yield* run({ env })
      for (const tradeNo of paid) {
        assert.strictEqual((yield* api.get(`/v1/orders/${tradeNo}`, key)).body.data.status, "paid")
      }
    })
  )

  it.live("a second start finds the data again", () =>
    Effect.gen(function* () {
      const home = yield* usedHome
      const env = { COFFER_HOME: home }
      const first = yield* run({ env })
      const known = credentialsOf(home)
      const key = known.sandbox_key
      const order = (yield* first.api.post("/v1/orders", key, { amount: 1999, metadata: { a: "b" } })).body.data
      const path = `/v1/orders/${order.trade_no}`
      const paid = yield* first.api.post(`/v1/test_helpers/orders/${order.trade_no}/pay`, key, {})
      const balance = yield* first.api.get("/v1/balance", key)
      first.signal("SIGTERM")
      assert.deepStrictEqual(yield* first.ended, { code: 0, signal: null })

      const second = yield* run({ env })
      const { baseUrl } = second
      const moved = { ...known, base_url: `${baseUrl}/v1`, operator_url: `${baseUrl}/operator/v1` }
      assert.deepStrictEqual(credentialsOf(home), moved)
      const { checkout_url: _, receipt_url: _found, ...found } = (yield* second.api.get(path, key)).body.data
      const { checkout_url: _then, receipt_url: _left, ...left } = paid.body.data
      assert.deepStrictEqual(found, left)
      assert.deepStrictEqual((yield* second.api.get("/v1/balance", key)).body.data, balance.body.data)
    })
  )
})

describe("a start that fails says why in one line and exits with a code that is not 0", () => {
  type Place = Effect.Effect<string, never, Scope.Scope>
  /** Standard error holds log lines, which are JSON, and the one line for people. */
  const refusal = Effect.fnUntraced(function* (env: Record<string, string>, port?: number, place: Place = newHome) {
    const home = yield* place
    const coffer = yield* launch({ env: { COFFER_HOME: home, ...env }, ...(port === undefined ? {} : { port }) })
    const { code, signal } = yield* coffer.ended
    assert.isNull(signal)
    assert.notStrictEqual(code, 0)
    const lines = coffer.said.stderr.split("\n").filter((line) => line !== "" && !line.startsWith("{"))
    assert.strictEqual(lines.length, 1, coffer.said.stderr)
    assert.match(lines[0]!, /^coffer: /)
    assert.notMatch(coffer.said.stdout, /ready|serves/)
    assert.isFalse(yield* postgresRuns(home), "left its Postgres behind")
    return lines[0]!
  })

  const takenPort = Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ port, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

  it.live("when its port is taken", () =>
    Effect.gen(function* () {
      const { port } = yield* takenPort
      assert.include(yield* refusal({}, port, usedHome), `Port ${port} is in use`)
    })
  )

  it.live("when another Coffer has its home", () =>
    Effect.gen(function* () {
      const home = yield* usedHome
      const first = yield* run({ env: { COFFER_HOME: home } })
      const line = yield* refusal({ COFFER_HOME: home })
      assert.include(line, `${home} is in use by another Coffer process (pid ${first.pid})`)
      assert.strictEqual((yield* first.api.get("/readyz")).status, 200)
    })
  )

  it.live("when there is DATABASE_URL and no SECRET_KEY", () =>
    Effect.gen(function* () {
      assert.include(yield* refusal({ DATABASE_URL: yield* freshDatabase }), "SECRET_KEY is required with DATABASE_URL")
    })
  )

  for (const [what, key] of [
    ["is 31 bytes", Buffer.alloc(31, 7).toString("base64")],
    ["is 33 bytes", Buffer.alloc(33, 7).toString("base64")],
    ["is no base64", "not a key"]
  ] as const) {
    it.live(`when SECRET_KEY ${what}, and does not repeat it`, () =>
      Effect.gen(function* () {
        const line = yield* refusal({ DATABASE_URL: yield* freshDatabase, SECRET_KEY: key })
        assert.include(line, "SECRET_KEY must be 32 bytes")
        assert.notInclude(line, key)
      })
    )
  }

  it.live("when there is RUNNER_PORT and no RUNNER_HOST", () =>
    Effect.gen(function* () {
      const env = { DATABASE_URL: yield* freshDatabase, SECRET_KEY: secretKey, RUNNER_PORT: String(yield* freePort) }
      assert.include(yield* refusal(env), "RUNNER_HOST and RUNNER_PORT must be set together")
    })
  )

  it.live("when its runner port is taken", () =>
    Effect.gen(function* () {
      const { port } = yield* takenPort
      const runner = { RUNNER_HOST: "127.0.0.1", RUNNER_PORT: String(port) }
      const env = { DATABASE_URL: yield* freshDatabase, SECRET_KEY: secretKey, ...runner }
      assert.include(yield* refusal(env), "runner port")
    })
  )

  it.live("when PORT is no port", () =>
    Effect.gen(function* () {
      assert.include(yield* refusal({ PORT: "eighty" }), "PORT must be a port, a number from 1 to 65535")
    })
  )
})
