/**
 * Where a request is addressed to: its host and its path are one, and can be read (RFC 9112, 3.2; silences: G20,
 * G22).
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { isProbe } from "../../../src/door/edge/routes.ts"
import { Logs } from "../../../src/shared/logs/Logs.ts"
import { sendRaw } from "../../kit/callers/Raw.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/addressed") {}

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a request", (it) => {
  /** Latin-1, as written here. */
  const send = Effect.fnUntraced(function* (line: string, ...headers: ReadonlyArray<string>) {
    const { baseUrl, merchant } = yield* Service
    const head = [line, ...headers, `X-Api-Key: ${merchant.sandboxKey}`, "", ""].join("\r\n")
    return yield* sendRaw(baseUrl, Buffer.from(head, "latin1"))
  })
  const isRefused = ({ body, headers, status }: Effect.Success<ReturnType<typeof send>>, param?: string, on = "") => {
    assert.deepStrictEqual([status, body?.error, body?.param], [400, "invalid_request", param], on)
    assert.strictEqual(headers["x-request-id"], body.request_id)
  }

  it.effect("with two Host lines, alike or not, or with a Host that is no host is 400 with param Host", () =>
    Effect.gen(function* () {
      const invalid = [
        "a b",
        "a/b",
        "http://a",
        "u@a",
        "a?b",
        "a#b",
        "a:b",
        "a:80:81",
        "[::1",
        "::1",
        "b\xfccher",
        "a\\b"
      ]
      for (const target of ["/v1/balance", "/healthz", "http://localhost/v1/balance", "/v1/orders?format=csv"]) {
        for (const version of ["HTTP/1.1", "HTTP/1.0"]) {
          for (const hosts of [["a", "a"], ["a", "b"], ["", "a"], ...invalid.map((host) => [host])]) {
            const lines = hosts.map((host) => `Host: ${host}`)
            isRefused(yield* send(`GET ${target} ${version}`, ...lines), "Host", `${target} ${hosts}`)
          }
        }
      }
      isRefused(yield* send("GET http://localhost/v1/balance HTTP/1.1"), "Host", "a whole address does not replace it")
      const body = '{"amount":100}'
      const twice = yield* send(
        "POST /v1/orders HTTP/1.1",
        "Host: a",
        "host: a",
        "Content-Type: application/json",
        `Content-Length: ${body.length}`
      )
      isRefused(twice, "Host")
    })
  )

  it.effect("that asks how the process is may name the host in its address, and is no less a probe", () =>
    Effect.gen(function* () {
      const line = (target: string) => send(`GET ${target} HTTP/1.1`, "Host: a")
      for (const target of ["/healthz", "http://a/healthz", "HTTP://a:80/healthz?x", "https://[::1]:8/healthz"]) {
        assert.isTrue(isProbe(target), target)
        assert.strictEqual((yield* line(target)).status, 200, target)
      }
      for (const target of [
        "http://a/v1/healthz",
        "http://a/healthzz",
        "http://a?/healthz",
        "//a/healthz",
        "x/healthz"
      ])
        assert.isFalse(isProbe(target), target)
    })
  )

  it.effect("may name any host: by name, by number, with a port, or none at all", () =>
    Effect.gen(function* () {
      for (const host of [
        "localhost",
        "pay.example:8080",
        "PAY_1.example.",
        "xn--bcher-kva.example",
        "b%C3%BCcher.example",
        "127.0.0.1:",
        "[::1]",
        "[fe80::1%25eth0]:80",
        ""
      ]) {
        assert.strictEqual((yield* send("GET /v1/balance HTTP/1.1", `Host: ${host}`)).status, 200, host)
      }
    })
  )

  it.effect("whose path is not percent-encoded UTF-8 is 400, written in escapes or raw, with or without a key", () =>
    Effect.gen(function* () {
      const { api, baseUrl, context } = yield* Service
      const escaped = ["%", "%%", "%zz", "%f", "%ff", "%c0%af", "%e2%82", "%ed%a0%80", "%u0041", "%D5%C5"]
      const raw = ["\xd5\xc5", "\xff", "\xe8\x8c\xb6", "a\x01"]
      for (const segment of [...escaped, ...raw]) {
        for (const path of [
          `/v1/orders/${segment}`,
          `/v1/orders/${segment}/expire`,
          `/${segment}`,
          `/checkout/${segment}`
        ]) {
          for (const method of ["GET", "POST", "PUT"]) {
            const reply = yield* send(`${method} ${path} HTTP/1.1`, "Host: a", "Content-Length: 0")
            isRefused(reply, undefined, `${method} ${path}`)
            assert.strictEqual(reply.body.message, "The URL must be percent-encoded UTF-8.")
          }
        }
        isRefused(yield* sendRaw(baseUrl, Buffer.from(`GET /v1/${segment} HTTP/1.1\r\nHost: a\r\n\r\n`, "latin1")))
      }
      assert.strictEqual((yield* send("GET /v1/orders/%E8%8C%B6 HTTP/1.1", "Host: a")).body.error, "order_not_found")
      isRefused(yield* send("GET /v1/orders?out_trade_no=\xe8\x8c\xb6 HTTP/1.1", "Host: a"))

      const { sandboxKey } = yield* api.newMerchant()
      yield* api.get("/v1/orders/%D5%C5", sandboxKey)
      yield* Context.get(context, Logs).flushed
      const [log] = (yield* api.get("/v1/logs", sandboxKey)).body.data.data
      assert.deepStrictEqual([log.path, log.status, log.error_code], ["/v1/orders/%D5%C5", 400, "invalid_request"])
    })
  )

  it.effect("to * is for no route", () =>
    Effect.gen(function* () {
      for (const method of ["GET", "OPTIONS"]) {
        assert.strictEqual((yield* send(`${method} * HTTP/1.1`, "Host: a")).status, 404, method)
      }
    })
  )
})
