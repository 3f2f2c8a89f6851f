/** The line that each answer leaves in the log where ACCESS_LOG asks for it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { makeSample } from "../../../src/door/edge/CallLogs.ts"
import * as Faults from "../../../src/platform/runtime/Faults.ts"
import { merchantOf } from "../../kit/Merchant.ts"
import { operatorToken, secretKey, start } from "../../kit/Service.ts"
import { settingsOf } from "../../kit/program/settings.ts"

type Line = Readonly<Record<string, unknown>>

/** A service, and the access lines that it writes. */
const logged = Effect.fnUntraced(function* (env: Record<string, string>) {
  const lines: Array<Line> = []
  const logger = Logger.make(({ fiber, message }) => {
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    if ("duration_ms" in annotations) lines.push({ message: String(message), ...annotations })
  })
  const running = yield* start({ faults: Layer.merge(Faults.layer, Logger.layer([logger])), env })
  lines.length = 0
  return { ...running, lines }
})

describe("ACCESS_LOG", () => {
  it.live("writes a line for each answer: what was asked, by whom, how it ended and how long it took", () =>
    Effect.gen(function* () {
      const { api, lines, merchant } = yield* logged({ ACCESS_LOG: "true" })
      const { headers } = yield* api.get("/v1/orders/absent?expand=1", merchant.sandboxKey)
      const [line, ...others] = lines
      assert.lengthOf(others, 0)
      const { duration_ms, ip, ...rest } = line!
      assert.isNumber(duration_ms)
      assert.match(String(ip), /127\.0\.0\.1/)
      assert.deepStrictEqual(rest, {
        message: "GET /v1/orders/absent 404",
        request_id: headers.get("x-request-id"),
        method: "GET",
        route: "/v1/orders/{ref}",
        path: "/v1/orders/absent",
        status: 404,
        merchant_id: merchant.merchantId,
        mode: "sandbox"
      })
    })
  )

  it.live("shows no key, token, card number or query, wherever a caller writes them", () =>
    Effect.gen(function* () {
      const running = yield* logged({ ACCESS_LOG: "true" })
      const { api, lines, merchant } = running
      const { checkout_url } = yield* merchantOf(running).paid(1_000)
      const { pathname } = new URL(checkout_url)
      const token = pathname.slice(pathname.lastIndexOf("/") + 1)
      const card = "4111111111111111"
      for (const path of [
        pathname,
        `${pathname}/events`,
        `/receipts/${token}`,
        "/files/secret-name.png",
        `/v1/orders/${merchant.sandboxKey}`,
        `/v1/orders/${card}`,
        `/v1/orders?out_trade_no=secret-query`,
        `/elsewhere/${token}`
      ]) {
        yield* Effect.promise(() =>
          fetch(api.url + path, { headers: { "x-api-key": merchant.sandboxKey, accept: "text/html" } }).then(
            ({ body }) => body?.cancel()
          )
        )
      }
      const text = JSON.stringify(lines)
      assert.isAtLeast(lines.length, 10)
      for (const secret of [token, merchant.sandboxKey, card, "secret-name", "secret-query"]) {
        assert.notInclude(text, secret)
      }
      assert.include(text, '"path":"/checkout/[redacted]"')
      assert.include(text, '"path":"none"')
    })
  )

  it.live("writes the share that ACCESS_LOG_SAMPLE says, and nothing without ACCESS_LOG", () =>
    Effect.gen(function* () {
      const sampled = yield* logged({ ACCESS_LOG: "true", ACCESS_LOG_SAMPLE: "0.25" })
      for (let call = 0; call < 40; call++) yield* sampled.api.get("/healthz")
      assert.lengthOf(sampled.lines, 10)
      const silent = yield* logged({ ACCESS_LOG_SAMPLE: "1" })
      yield* silent.api.get("/healthz")
      assert.lengthOf(silent.lines, 0)
    })
  )

  it.live("a share that is none stops the start, and the setting is named", () =>
    Effect.gen(function* () {
      const env = { SECRET_KEY: secretKey, OPERATOR_TOKEN: operatorToken, ACCESS_LOG: "true" }
      assert.deepStrictEqual((yield* settingsOf(env)).accessLog, { share: 1 })
      for (const share of ["2", "-0.1", "half"]) {
        const error = yield* Effect.flip(settingsOf({ ...env, ACCESS_LOG_SAMPLE: share }))
        assert.include(error.message, "ACCESS_LOG_SAMPLE")
      }
    })
  )

  for (const [share, of, expected] of [
    [1, 7, 7],
    [0, 100, 0],
    [0.1, 1_000, 100],
    [0.3, 1_000, 300],
    [0.001, 10_000, 10]
  ] as const) {
    it(`a share of ${share} is ${expected} of ${of}, evenly`, () => {
      const isSampled = makeSample(share)
      const taken = Array.from({ length: of }, isSampled).filter((is) => is)
      assert.lengthOf(taken, expected)
    })
  }
})
