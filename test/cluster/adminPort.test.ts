/** A process with ADMIN_PORT: the address that it prints for operators, its state while it waits, and how it stops. */
import { createServer, type AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Api } from "../kit/Api.ts"
import { credentialsOf, eventually, launch, newHome, run } from "../kit/Process.ts"
import { freePort, freshDatabase, operatorToken, secretKey } from "../kit/Service.ts"
import { usedHome } from "../kit/program/usedHome.ts"

const shared = { SECRET_KEY: secretKey, OPERATOR_TOKEN: operatorToken }

const withAdmin = Effect.fnUntraced(function* (database: string) {
  const port = yield* freePort
  const env = { ...shared, COFFER_HOME: yield* newHome, DATABASE_URL: database, ADMIN_PORT: String(port) }
  const coffer = yield* launch({ env })
  return { coffer, admin: new Api(`http://127.0.0.1:${port}`, operatorToken) }
})

const statusAt = ({ url }: Api, path: string) =>
  Effect.promise(() =>
    fetch(url + path).then(
      ({ status }) => status,
      () => undefined
    )
  )

it.live("says where operators reach it, answers at both ports while it waits, and stops in good order", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const first = yield* withAdmin(database)
    yield* first.coffer.ready
    assert.include(first.coffer.said.stdout, `operators reach ${first.admin.url}/operator/v1`)
    assert.strictEqual((yield* first.admin.newMerchant()).merchantId.slice(0, 4), "mer_")

    const second = yield* withAdmin(database)
    yield* eventually(
      "the operator's port of the one that waits",
      Effect.map(statusAt(second.admin, "/healthz"), (status) => status === 200)
    )
    assert.strictEqual(yield* statusAt(second.coffer.api, "/healthz"), 404)
    assert.strictEqual(yield* statusAt(second.coffer.api, "/readyz"), 503)
    assert.strictEqual((yield* second.admin.operator("POST", "/merchants", { name: "A merchant" })).status, 503)

    // A connection that is kept open at the operator's port does not hold up the stop.
    assert.strictEqual(yield* statusAt(first.admin, "/healthz"), 200)
    first.coffer.signal("SIGTERM")
    assert.deepStrictEqual(yield* first.coffer.ended, { code: 0, signal: null })
    yield* second.coffer.ready
    assert.strictEqual(yield* statusAt(second.admin, "/metrics"), 200)
  })
)

it.live(
  "with the embedded database everything is at one port unless ADMIN_PORT is set, and the credentials say where",
  () =>
    Effect.gen(function* () {
      const home = yield* usedHome
      const port = yield* freePort
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { baseUrl } = yield* run({ env: { COFFER_HOME: home } })
          assert.strictEqual(credentialsOf(home).operator_url, `${baseUrl}/operator/v1`)
          assert.strictEqual(yield* statusAt(new Api(baseUrl, ""), "/metrics"), 200)
        })
      )
      const { baseUrl } = yield* run({ env: { COFFER_HOME: home, ADMIN_PORT: String(port) } })
      const { operator_token, operator_url } = credentialsOf(home)
      assert.strictEqual(operator_url, `http://127.0.0.1:${port}/operator/v1`)
      const admin = new Api(`http://127.0.0.1:${port}`, operator_token)
      assert.strictEqual((yield* admin.operator("GET", "/merchants")).status, 200)
      assert.strictEqual(yield* statusAt(new Api(baseUrl, ""), "/metrics"), 404)
    })
)

it.live("a start whose ADMIN_PORT is taken says so by its name", () =>
  Effect.gen(function* () {
    const taken = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer().listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => void server.close())
    )
    const { port } = taken.address() as AddressInfo
    const env = { ...shared, COFFER_HOME: yield* newHome, DATABASE_URL: yield* freshDatabase, ADMIN_PORT: String(port) }
    const { ended, said } = yield* launch({ env })
    assert.notStrictEqual((yield* ended).code, 0)
    assert.match(said.stderr, new RegExp(`^coffer: The operator port ${port} is in use.*change ADMIN_PORT`, "m"))
  })
)
