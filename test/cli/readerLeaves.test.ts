/** `coffer … | head`: the reader of what is printed leaves before all of it was read. */
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"

const row = { object: "api_log", method: "GET", path: `/v1/orders?${"x".repeat(1_000)}`, status: 200 }

/** Its list of calls has no end. */
const aService = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    let page = 0
    const made = createServer((_, response) => {
      page++
      const data = Array.from({ length: 100 }, (_, at) => ({ ...row, request_id: `req_${page}_${at}` }))
      const list = { object: "list", resource: "api_log", url: "/v1/logs", has_more: true, data }
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ code: 200, message: "ok", request_id: "req_1", data: list }))
    })
    made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
  }),
  (made) => Effect.sync(() => (made.closeAllConnections(), made.close()))
)

it.live("a command ends as by SIGPIPE, without a trace of its inside, when its reader leaves", () =>
  Effect.gen(function* () {
    const { port } = (yield* aService).address() as AddressInfo
    const env = {
      PATH: process.env["PATH"] ?? "",
      COFFER_KEY: "svc_test_x",
      COFFER_BASE_URL: `http://127.0.0.1:${port}/v1`
    }
    const ended = yield* Effect.callback<{ code: number | null; stderr: string }>((resume) => {
      const words = ["logs", "list", "--json", "--limit", "100000"]
      const child = spawn(process.execPath, [inject("program"), ...words], { env, stdio: ["ignore", "pipe", "pipe"] })
      let stderr = ""
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
      child.stdout.once("data", () => child.stdout.destroy())
      child.once("close", (code) => resume(Effect.succeed({ code, stderr })))
    })
    assert.deepStrictEqual(ended, { code: 141, stderr: "" })
  }).pipe(Effect.scoped)
)
