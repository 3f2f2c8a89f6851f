/** Each kind of request from the command line: a misspelt field is refused, and the log of calls names the program. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type } from "../kit/callers/cli.ts"

const answers: Readonly<Record<string, object | string>> = {
  "/v1/orders": { object: "order", trade_no: "TRD_1" },
  "/v1/reports/rpt_1": { object: "report", report_no: "rpt_1", status: "succeeded", format: "csv", bytes: 3 },
  "/v1/reports/rpt_1/file": "a,b",
  "/operator/v1/held_up": { object: "list", has_more: false, data: [], counts: {} }
}

/** Answers so, and keeps the headers that came, by method and path. */
const aService = Effect.gen(function* () {
  const came = new Map<string, IncomingHttpHeaders>()
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((request, response) => {
        const [at = ""] = request.url!.split("?")
        came.set(`${request.method} ${at}`, request.headers)
        const answer = answers[at]!
        const text = typeof answer === "string" ? answer : JSON.stringify({ code: 200, message: "ok", data: answer })
        response.writeHead(200, { "content-type": "application/json" }).end(text)
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) => Effect.sync(() => (made.closeAllConnections(), made.close()))
  )
  return { came, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
})

it.live("a merchant's writes, any call, an operator's calls and the reader of reports send Coffer-Strict", () =>
  Effect.gen(function* () {
    const { came, url } = yield* aService
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-strict-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    const env = {
      COFFER_KEY: "svc_test_somebody",
      COFFER_BASE_URL: `${url}/v1`,
      COFFER_OPERATOR_TOKEN: "opt_somebody",
      COFFER_OPERATOR_URL: `${url}/operator/v1`
    }
    const file = path.join(folder, "report.csv")
    for (const words of [
      ["orders", "create", "--amount", "5"],
      ["get", "/orders"],
      ["held-up", "--json"],
      ["reports", "file", "rpt_1", file]
    ]) {
      assert.strictEqual((yield* type(words, env)).code, 0, words.join(" "))
    }
    assert.strictEqual(readFileSync(file, "utf8"), "a,b")
    for (const call of [
      "POST /v1/orders",
      "GET /v1/orders",
      "GET /operator/v1/held_up",
      "GET /v1/reports/rpt_1/file"
    ]) {
      assert.strictEqual(came.get(call)?.["coffer-strict"], "true", call)
    }
    for (const call of ["POST /v1/orders", "GET /v1/orders"]) {
      assert.match(came.get(call)!["user-agent"]!, /^coffer-cli\/\d/, call)
    }
  }).pipe(Effect.scoped)
)
