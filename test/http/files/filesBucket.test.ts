/** Files in a bucket instead of a folder (`test/kit/servers/Bucket.ts`). */
import { existsSync, readdirSync } from "node:fs"
import path from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Exit, Layer, Redacted } from "effect"
import { DataDir } from "../../../src/platform/runtime/DataDir.ts"
import { FileStorage } from "../../../src/money/files/FileStorage.ts"
import { filesSettings } from "../../../src/money/files/filesSettings.ts"
import * as S3Storage from "../../../src/money/files/S3Storage.ts"
import * as Settings from "../../../src/platform/runtime/Settings.ts"
import { operatorToken, type Running, secretKey, start } from "../../kit/Service.ts"
import { fileOf, filePart, formOf, modePart, upload } from "../../kit/callers/uploads.ts"
import { type Bucket, bucket, bucketSettings } from "../../kit/servers/Bucket.ts"

class Service extends Context.Service<Service, { readonly service: Running; readonly s3: Bucket }>()("test/bucket") {}

const running = Layer.effect(
  Service,
  Effect.gen(function* () {
    const s3 = yield* bucket
    return { s3, service: yield* start({ env: bucketSettings(s3.url) }) }
  })
)

layer(running, { excludeTestServices: true })("files in a bucket", (it) => {
  const send = Effect.gen(function* () {
    const { baseUrl, merchant } = (yield* Service).service
    const content = fileOf("pdf", 3_000_000)
    const answer = yield* upload(baseUrl, merchant.merchantId, formOf(modePart("sandbox"), filePart(content)))
    return { content, answer, name: String(answer.body.data?.url).split("/").at(-1)! }
  })

  it.effect("goes there whole, is served from there, and leaves nothing on this machine", () =>
    Effect.gen(function* () {
      const { s3, service } = yield* Service
      const { answer, content, name } = yield* send
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.body.data.url, `https://files.example/evidence/${name}`)
      assert.deepStrictEqual(s3.objects.get(`/a-bucket/${name}`), content)

      const response = yield* Effect.promise(() => fetch(`${service.baseUrl}/files/${name}`))
      assert.strictEqual(response.headers.get("content-type"), "application/pdf")
      assert.deepStrictEqual(Buffer.from(yield* Effect.promise(() => response.arrayBuffer())), content)
      const folder = path.join(Context.get(service.context, DataDir).path, "files")
      assert.deepStrictEqual(existsSync(folder) ? readdirSync(folder) : [], [])
    })
  )

  it.effect("tries again when the bucket fails, and answers 503 without a row when it goes on failing", () =>
    Effect.gen(function* () {
      const { s3, service } = yield* Service
      s3.failing = 2
      const { answer, content, name } = yield* send
      assert.strictEqual(answer.status, 201)
      assert.deepStrictEqual(s3.objects.get(`/a-bucket/${name}`), content)

      const rows = yield* service.sql`select name from files`
      s3.failing = 3
      const failed = yield* send
      assert.deepStrictEqual([failed.answer.status, failed.answer.body.error], [503, "internal_error"])
      assert.deepStrictEqual(yield* service.sql`select name from files`, rows)
    })
  )

  it.effect("is refused where it cannot be read from this machine any more, and the process goes on", () =>
    Effect.gen(function* () {
      const { s3 } = yield* Service
      const bucket = { name: "a-bucket", region: "eu", endpoint: s3.url, accessKey: "a", secretKey: Redacted.make("b") }
      const storage = Context.get(yield* Layer.build(S3Storage.layer(bucket, { isReadOnly: false })), FileStorage)
      const gone = {
        path: "/nowhere/gone.pdf",
        size: 3,
        kind: { contentType: "application/pdf", extension: "pdf" }
      } as const
      const { message } = yield* Effect.flip(storage.keep("gone.pdf", gone))
      assert.match(message, /ENOENT/)
    })
  )

  it.effect("answers 404 for a file that the bucket has lost, and asks it for no name that was never given", () =>
    Effect.gen(function* () {
      const { s3, service } = yield* Service
      const { answer, name } = yield* send
      assert.strictEqual(answer.status, 201)
      s3.objects.clear()
      const status = (name: string) =>
        Effect.promise(() => fetch(`${service.baseUrl}/files/${name}`).then((r) => r.status))
      assert.strictEqual(yield* status(name), 404)
      const asked = s3.requests.length
      assert.strictEqual(yield* status(`${"A".repeat(43)}.pdf`), 404)
      assert.strictEqual(s3.requests.length, asked)
    })
  )
})

describe("settings of files", () => {
  const settings = (env: Record<string, string>) =>
    Layer.build(
      Settings.layer({ embedded: false }).pipe(
        Layer.provide(
          Layer.succeed(DataDir, { path: "", keep: () => Effect.succeed(operatorToken), write: () => Effect.void })
        ),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { SECRET_KEY: secretKey, ...env } })))
      )
    ).pipe(
      Effect.map((context) => Context.get(context, Settings.Settings).of(filesSettings)),
      Effect.scoped
    )

  it.effect("follow the public address, and may be https anywhere or http on this machine", () =>
    Effect.gen(function* () {
      const { filesUrl } = yield* settings({ PUBLIC_URL: "https://pay.example/" })
      assert.strictEqual(filesUrl, "https://pay.example/files")
      for (const FILES_URL of ["https://files.example", "http://localhost:3000/f", "http://127.0.0.1:1"]) {
        assert.strictEqual((yield* settings({ FILES_URL })).filesUrl, FILES_URL)
      }
      const bad = ["http://files.example", "http://localhost.example", "https://files.example?a=1", "ftp://localhost/"]
      for (const FILES_URL of bad) {
        assert.isTrue(Exit.isFailure(yield* Effect.exit(settings({ FILES_URL }))), FILES_URL)
      }
    })
  )

  it.effect("name a bucket whole or not at all", () =>
    Effect.gen(function* () {
      assert.isUndefined((yield* settings({})).filesBucket)
      const { FILES_S3_ENDPOINT, FILES_URL: _, ...whole } = bucketSettings("http://127.0.0.1:9000")
      const { filesBucket } = yield* settings(whole)
      assert.deepStrictEqual([filesBucket?.name, filesBucket?.endpoint], ["a-bucket", undefined])
      assert.notInclude(String(filesBucket?.secretKey), "a-secret-key")
      for (const missing of ["FILES_S3_BUCKET", "FILES_S3_ACCESS_KEY", "FILES_S3_SECRET_KEY"]) {
        const env = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== missing))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(settings(env))), missing)
      }
      assert.isTrue(Exit.isFailure(yield* Effect.exit(settings({ FILES_S3_ENDPOINT }))))
    })
  )
})
