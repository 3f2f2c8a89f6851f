/** The message of a start on the operator's own database that cannot continue, or has to wait. */
import { readFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Api } from "../kit/Api.ts"
import { connect, eventually, launch, newHome, run } from "../kit/Process.ts"
import { cable } from "../kit/servers/Cable.ts"
import { asRunner, freePort, freshDatabase, operatorToken, otherSecretKey, secretKey } from "../kit/Service.ts"

const shared = { SECRET_KEY: secretKey, OPERATOR_TOKEN: operatorToken }
const onDatabase = Effect.fnUntraced(function* (url: string, env: Record<string, string> = {}) {
  return yield* launch({ env: { COFFER_HOME: yield* newHome, DATABASE_URL: url, ...shared, ...env } })
})

/** The one line for people of a start that fails. */
const refusal = Effect.fnUntraced(function* (url: string, env: Record<string, string> = {}) {
  const { ended, said } = yield* onDatabase(url, env)
  assert.notStrictEqual((yield* ended).code, 0)
  const lines = said.stderr.split("\n").filter((line) => line !== "" && !line.startsWith("{"))
  assert.lengthOf(lines, 1, said.stderr)
  return lines[0]!
})

describe.concurrent("a start that is refused says in one line", () => {
  it.live("that SECRET_KEY is not the database's", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const first = yield* onDatabase(database)
      yield* first.ready
      first.signal("SIGTERM")
      yield* first.ended
      const other = otherSecretKey
      const line = yield* refusal(database, { SECRET_KEY: other })
      assert.include(line, "SECRET_KEY is not the one this database was created with")
      assert.notInclude(line, other)
    })
  )

  it.live("where it looked for the database, and why it is not there", () =>
    Effect.gen(function* () {
      const url = new URL(yield* freshDatabase)
      const { port } = url
      url.pathname = "/missing"
      assert.match(yield* refusal(url.href), new RegExp(`127.0.0.1:${port}, .*"missing" does not exist`))
      url.password = "pass-word"
      const wrong = yield* refusal(url.href)
      assert.match(wrong, new RegExp(`127.0.0.1:${port}, database "missing".* password authentication failed`))
      assert.notInclude(wrong, "pass-word")
    })
  )

  it.live("which runner port is taken", () =>
    Effect.gen(function* () {
      const port = yield* Effect.acquireRelease(
        Effect.callback<{ readonly number: number; readonly close: () => void }>((resume) => {
          const server = createServer().listen(0, "127.0.0.1", () =>
            resume(Effect.succeed({ number: (server.address() as AddressInfo).port, close: () => void server.close() }))
          )
        }),
        ({ close }) => Effect.sync(close)
      )
      const runner = { RUNNER_HOST: "127.0.0.1", RUNNER_PORT: String(port.number) }
      assert.include(yield* refusal(yield* freshDatabase, runner), `runner port ${port.number} is in use`)
    })
  )
})

describe.concurrent("a start at an address of IPv6, without PUBLIC_URL,", () => {
  for (const [host, address] of [
    ["::1", "[::1]"],
    ["[::1]", "[::1]"],
    ["::", "127.0.0.1"]
  ] as const) {
    it.live(`says that it serves http://${address} with HOST=${host}, and serves there`, () =>
      Effect.gen(function* () {
        const { ended, port, said } = yield* onDatabase(yield* freshDatabase, { HOST: host })
        const over = Effect.flatMap(ended, () => Effect.die(new Error(said.stderr)))
        yield* Effect.raceFirst(
          over,
          eventually(
            "it to say its address",
            Effect.sync(() => said.stdout.includes(`Coffer serves http://${address}:${port}/v1`))
          )
        )
        assert.strictEqual((yield* new Api(`http://${address}:${port}`, operatorToken).get("/readyz")).status, 200)
      })
    )
  }

  it.live("says in one line that HOST is no address of this machine", () =>
    Effect.gen(function* () {
      for (const host of ["2001:db8::1", "nobody.invalid"]) {
        const line = yield* refusal(yield* freshDatabase, { HOST: host })
        assert.match(line, /^coffer: Port \d+ can't be used: .* Set HOST to an address of this machine\.$/)
        assert.include(line, host)
      }
    })
  )

  it.live("says in one line that mails need MAIL_FROM", () =>
    Effect.gen(function* () {
      const line = yield* refusal(yield* freshDatabase, { HOST: "::1", SMTP_URL: "smtp://127.0.0.1:25" })
      assert.match(line, /^coffer: MAIL_FROM is required where PUBLIC_URL, or HOST without it, is an IPv6 address/)
    })
  )
})

describe.concurrent("a start on a database of the operator's own says where the operator's token is found,", () => {
  it.live("which is a file where OPERATOR_TOKEN is not set, and then opens the operator's API", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      const env = { DATABASE_URL: yield* freshDatabase, COFFER_HOME: home, SECRET_KEY: secretKey }
      const { port, ready, said } = yield* launch({ env })
      yield* ready
      const file = path.join(home, "operator.token")
      const line = `operators reach http://127.0.0.1:${port}/operator/v1 with the token in ${file}\n`
      yield* eventually(
        "it to say so",
        Effect.sync(() => said.stdout.includes(line))
      )
      const token = readFileSync(file, "utf8").trim()
      assert.notInclude(said.stdout, token)
      const api = new Api(`http://127.0.0.1:${port}`, token)
      assert.strictEqual((yield* api.operator("GET", "/merchants")).status, 200)
    })
  )

  it.live("which is OPERATOR_TOKEN where that is set", () =>
    Effect.gen(function* () {
      const { ready, said } = yield* onDatabase(yield* freshDatabase)
      yield* ready
      yield* eventually(
        "it to say so",
        Effect.sync(() => said.stdout.includes("/operator/v1 with the token in OPERATOR_TOKEN\n"))
      )
      assert.notInclude(said.stdout, operatorToken)
    })
  )
})

it.live(
  "a start before its Postgres says where it looks, answers that it is not ready, and serves when it is there",
  () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const [to, port] = [new URL(database), yield* freePort]
      const at = new URL(database)
      at.port = String(port)
      const coffer = yield* onDatabase(at.href)
      const reason = `PostgreSQL at 127.0.0.1:${port}, database "${to.pathname.slice(1)}", cannot be used: `
      yield* eventually(
        "the start to say why it waits",
        Effect.sync(() => coffer.said.stdout.includes(`Coffer is waiting. ${reason}`))
      )
      assert.notInclude(coffer.said.stdout, to.password)
      yield* eventually(
        "its port to open",
        Effect.promise(() =>
          fetch(`${coffer.baseUrl}/healthz`).then(
            ({ status }) => status === 200,
            () => false
          )
        )
      )
      const { body, status } = yield* coffer.api.get("/readyz")
      // Buyers may read it.
      assert.deepStrictEqual([status, body], [503, { status: "not ready", reason: "Postgres is not available yet." }])
      yield* cable(database, { at: { host: "127.0.0.1", port } })
      yield* coffer.ready
    })
)

describe.concurrent("a second Coffer on one database", () => {
  it.live(
    "that is in no cluster says immediately for which process it waits, creates nothing, and serves when the first ends",
    () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const first = yield* onDatabase(database)
        yield* first.ready
        const second = yield* onDatabase(database)
        yield* eventually(
          "the second to say why it is not ready",
          Effect.sync(() => second.said.stdout.includes("Coffer is waiting"))
        )
        assert.include(second.said.stdout, `Another Coffer (pid ${first.pid} on `)
        assert.include(second.said.stdout, "RUNNER_HOST")
        yield* eventually(
          "its port to open",
          Effect.promise(() =>
            fetch(`${second.baseUrl}/healthz`).then(
              ({ status }) => status === 200,
              () => false
            )
          )
        )
        const ready = yield* second.api.get("/readyz")
        assert.strictEqual(ready.status, 503)
        assert.include(ready.body.reason, `pid ${first.pid}`)
        const refused = yield* second.api.operator("POST", "/merchants", { name: "A merchant" })
        assert.deepStrictEqual([refused.status, refused.body.error], [503, "internal_error"])
        const sql = yield* connect(database)
        assert.deepStrictEqual(yield* sql`select merchant_id from merchants`, [])

        first.signal("SIGTERM")
        yield* first.ended
        yield* second.ready
      })
  )

  it.live("waits too where only one of the two is in a cluster, and members do not wait for each other", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const env = { COFFER_HOME: yield* newHome, DATABASE_URL: database, ...shared }
      yield* run({ env: { ...env, ...(yield* asRunner) } })
      yield* run({ env: { ...env, ...(yield* asRunner) } })
      const alone = yield* onDatabase(database)
      yield* eventually(
        "the one that is alone to wait",
        Effect.sync(() => alone.said.stdout.includes("Coffer is waiting"))
      )
    })
  )
})

/** A module that makes the program's own code fail unexpectedly. */
const broken = [
  'import http from "node:http"; import { syncBuiltinESMExports } from "node:module"',
  'http.createServer = () => { throw new Error("a mistake of ours") }',
  "syncBuiltinESMExports()"
].join("\n")

it.live("a start that ends by a mistake of ours says which", () =>
  Effect.gen(function* () {
    const module = `data:text/javascript,${encodeURIComponent(broken)}`
    const { ended, said } = yield* onDatabase(yield* freshDatabase, { NODE_OPTIONS: `--import ${module}` })
    assert.strictEqual((yield* ended).code, 1)
    assert.match(said.stderr, /^coffer: Error: a mistake of ours\n {4}at /m)
  })
)
