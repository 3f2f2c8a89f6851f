/** Bodies in very many chunks (silences: G28): Node calls the service for each of them. */
import { IncomingMessage } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { head, sendRaw, speak } from "../../kit/callers/Raw.ts"
import { start } from "../../kit/Service.ts"

const chunked = (text: string, bytes: number) =>
  Array.from({ length: Math.ceil(text.length / bytes) }, (_, index) => text.slice(index * bytes, (index + 1) * bytes))
    .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
    .join("") + "0\r\n\r\n"

const file = (bytes: number) =>
  [
    "--b",
    'Content-Disposition: form-data; name="file"; filename="a.pdf"',
    "Content-Type: application/pdf",
    "",
    `%PDF-${"x".repeat(bytes)}`,
    "--b--",
    ""
  ].join("\r\n")

const upload = (key: string | undefined, body: string) =>
  `${head("POST /v1/files", {
    "X-Api-Key": key,
    "Content-Type": "multipart/form-data; boundary=b",
    // The service hangs up after any answer.
    Connection: "close",
    "Transfer-Encoding": "chunked"
  })}${body}`

describe("a body in small chunks", () => {
  it.live("ends its connection with 400 when there are more than 2,000 with fewer than 64 bytes on average", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant, sql } = yield* start()
      const key = merchant.sandboxKey
      for (const [size, bytes, status] of [
        [1_500, 1, 201],
        [200_000, 65, 201],
        [200_000, 63, 400],
        [200_000, 1, 400]
      ] as const) {
        const { body, status: told } = yield* sendRaw(baseUrl, upload(key, chunked(file(size), bytes)))
        assert.strictEqual(told, status, `${size} in chunks of ${bytes}`)
        if (status === 400) {
          assert.deepStrictEqual([body.error, body.message], ["invalid_request", "The body has too many small chunks."])
        }
      }
      assert.strictEqual((yield* sql`select 1 from files`).length, 2)
    })
  )

  it.live("is not read beyond the chunk that was one too many, for any sender", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* start()
      const { push } = IncomingMessage.prototype
      let pushes = 0
      IncomingMessage.prototype.push = function (this: IncomingMessage, ...given: [unknown, BufferEncoding?]) {
        pushes++
        return push.apply(this, given)
      }
      yield* Effect.gen(function* () {
        for (const key of [merchant.sandboxKey, "sk_sandbox_nobody", undefined]) {
          pushes = 0
          yield* speak(baseUrl, upload(key, chunked(file(400_000), 1)))
          assert.isAtMost(pushes, 2_010)
        }
      }).pipe(Effect.ensuring(Effect.sync(() => (IncomingMessage.prototype.push = push))))
    })
  )
})
