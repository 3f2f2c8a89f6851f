/** The HTTP port of a process that waits for its database: every answer is in the envelope there, too. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { serveWaiting } from "../../../src/door/edge/HttpServer.ts"
import * as DataDir from "../../../src/platform/runtime/DataDir.ts"
import * as Settings from "../../../src/platform/runtime/Settings.ts"
import * as Wiring from "../../../src/Wiring.ts"
import { eventually } from "../../kit/Process.ts"
import { head, sendRaw } from "../../kit/callers/Raw.ts"
import { freePort, operatorToken, secretKey } from "../../kit/Service.ts"

const waiting = Effect.gen(function* () {
  const port = yield* freePort
  const env = {
    PORT: String(port),
    HOST: "127.0.0.1",
    SECRET_KEY: secretKey,
    OPERATOR_TOKEN: operatorToken
  }
  const settings = Settings.layer({ embedded: false }).pipe(
    Layer.provide(DataDir.layer(mkdtempSync(path.join(tmpdir(), "coffer-test-home-")))),
    Layer.provide(Wiring.platform),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  )
  const context = yield* Layer.build(settings)
  yield* Effect.forkScoped(Effect.provideContext(serveWaiting("Somebody else is here."), context))
  const url = `http://127.0.0.1:${port}`
  yield* eventually(
    "the port to open",
    Effect.map(sendRaw(url, head("GET /healthz")), ({ status }) => status === 200)
  )
  return url
})

it.live(
  "a waiting process says why on /readyz and with 503, and answers 400 to bytes that are not HTTP; nothing is cached",
  () =>
    Effect.gen(function* () {
      const url = yield* waiting
      for (const [bytes, status, error] of [
        [head("GET /healthz"), 200, undefined],
        [head("GET /readyz"), 503, undefined],
        [head("GET /v1/orders"), 503, "internal_error"],
        [head("GET /v1/orders", { Host: undefined }), 503, "internal_error"],
        [head("POST /v1/orders", { Expect: "a-miracle", "Content-Length": 0 }), 503, "internal_error"],
        ["NONSENSE\r\n\r\n", 400, "invalid_request"],
        [head("CONNECT a:1"), 400, "invalid_request"]
      ] as const) {
        const reply = yield* sendRaw(url, bytes)
        assert.deepStrictEqual([reply.status, reply.body?.error], [status, error], bytes)
        assert.strictEqual(reply.headers["cache-control"], "no-store", bytes)
        assert.match(reply.headers["x-request-id"] ?? "", /^req_/, bytes)
        if (error !== undefined) assert.strictEqual(reply.body.request_id, reply.headers["x-request-id"])
      }
      const ready = yield* sendRaw(url, head("GET /readyz"))
      assert.deepStrictEqual(ready.body, { status: "not ready", reason: "Somebody else is here." })
    })
)
