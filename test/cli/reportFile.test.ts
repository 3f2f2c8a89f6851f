/** `coffer reports file`: the file of a report, read into a file, on from where it was cut off. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, statSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { envOf, type } from "../kit/callers/cli.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { eventually } from "../kit/Process.ts"
import { start } from "../kit/Service.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-report-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** A report's file of some kilobytes, as the API gives it, behind a line that breaks after so many bytes. */
const reported = Effect.fnUntraced(function* (cuts: ReadonlyArray<number>) {
  const running = yield* start()
  const shop = merchantOf(running)
  for (let n = 0; n < 30; n++) yield* shop.paid(1_000 + n)
  const day = new Date().toISOString().slice(0, 10)
  const env = envOf(running)
  const made = yield* type(["reports", "create", "transactions", "--from", day, "--time-zone", "UTC", "--json"], env)
  const { report_no } = JSON.parse(made.stdout)
  const get = Effect.map(shop.get(`/v1/reports/${report_no}`), ({ body }) => body.data)
  yield* eventually(
    "the file of the report",
    Effect.map(get, ({ status }) => status === "succeeded")
  )
  const url = `${running.baseUrl}/v1/reports/${report_no}/file`
  const whole = yield* Effect.promise(async () => {
    const answer = await fetch(url, { headers: { "X-Api-Key": running.merchant.sandboxKey } })
    return Buffer.from(await answer.arrayBuffer())
  })
  const place = yield* folder
  const part = path.join(place, `books.csv.${report_no}.part`)
  const line = yield* breaking(running.baseUrl, cuts, () => (existsSync(part) ? statSync(part).size : 0))
  return { env: { ...env, COFFER_BASE_URL: `${line.url}/v1` }, line, place, report_no, whole }
})

/**
 * Passes requests on. The n-th answer with a file breaks after `cuts[n]` bytes, once these are on the disk: a stream
 * that breaks drops what was not read of it yet.
 */
const breaking = (target: string, cuts: ReadonlyArray<number>, bytesThere: () => number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly ranges: Array<string>; readonly close: () => void }>((resume) => {
      const ranges: Array<string> = []
      const server = createServer((request: IncomingMessage, response) => {
        const headers = Object.fromEntries(
          ["x-api-key", "range"].flatMap((name) => {
            const value = request.headers[name]
            return typeof value === "string" ? [[name, value]] : []
          })
        )
        void fetch(`${target}${request.url}`, { headers }).then(async (answer) => {
          const bytes = Buffer.from(await answer.arrayBuffer())
          response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" })
          if (!request.url!.endsWith("/file")) return response.end(bytes)
          const cut = cuts[ranges.length]
          ranges.push(headers["range"] ?? "")
          if (cut === undefined) return response.end(bytes)
          const sum = cuts.slice(0, ranges.length).reduce((all, each) => all + each, 0)
          const breakOnceThere = () => {
            if (bytesThere() >= sum) response.destroy()
            else setTimeout(breakOnceThere, 5)
          }
          return response.write(bytes.subarray(0, cut), breakOnceThere)
        })
      })
      server.listen(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
            ranges,
            close: () => {
              server.closeAllConnections()
              server.close()
            }
          })
        )
      )
    }),
    ({ close }) => Effect.sync(close)
  )

describe("coffer reports file", () => {
  it.live("has the whole file, byte for byte, though the line breaks twice: each time on from the last byte", () =>
    Effect.gen(function* () {
      const { env, line, place, report_no, whole } = yield* reported([1_000, 500])
      const file = path.join(place, "books.csv")
      const { code, stdout } = yield* type(["reports", "file", report_no, file], env)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(readFileSync(file), whole)
      assert.include(stdout, "books.csv")
      assert.deepStrictEqual(line.ranges, ["", "bytes=1000-", "bytes=1500-"])
      assert.isFalse(existsSync(`${file}.${report_no}.part`))
    })
  )

  it.live("resumes the part that a killed command left, and starts over if that is not a part of the file", () =>
    Effect.gen(function* () {
      const { env, line, place, report_no, whole } = yield* reported([])
      const file = path.join(place, "books.csv")
      const part = `${file}.${report_no}.part`
      for (const [left, range] of [
        [whole.subarray(0, 700), "bytes=700-"],
        [Buffer.concat([whole, whole]), ""],
        [whole, undefined]
      ] as const) {
        writeFileSync(part, left)
        const asked = line.ranges.length
        assert.strictEqual((yield* type(["reports", "file", report_no, file], env)).code, 0)
        assert.deepStrictEqual(line.ranges.slice(asked), range === undefined ? [] : [range])
        assert.deepStrictEqual(readFileSync(file), whole)
        rmSync(file)
      }
    })
  )

  it.live("says so where there is no such report, or no folder for the file", () =>
    Effect.gen(function* () {
      const { env, place, report_no } = yield* reported([])
      const unknown = yield* type(["reports", "file", "rpt_00000000000000000000000000", "--json"], env)
      assert.deepStrictEqual([unknown.code, JSON.parse(unknown.stderr).error.code], [1, "report_not_found"])
      const nowhere = yield* type(["reports", "file", report_no, path.join(place, "none", "books.csv"), "--json"], env)
      assert.deepStrictEqual([nowhere.code, JSON.parse(nowhere.stderr).error.code], [2, "no_file"])
    })
  )
})
