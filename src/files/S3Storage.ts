/**
 * Files in a bucket that speaks S3. The client is loaded when one is configured, since it takes longer than the rest of
 * the start. A file goes there from the disk, in one request of known length, which any S3 takes.
 */
import { createReadStream } from "node:fs"
import type { Readable } from "node:stream"
import type * as S3 from "@aws-sdk/client-s3"
import { NodeStream } from "@effect/platform-node"
import { Effect, Layer, Option, Redacted, Schedule } from "effect"
import type { Bucket } from "../platform/runtime/Settings.ts"
import { FileStorage, StorageFailed } from "./FileStorage.ts"

/** A try that has not ended by then is given up. */
const patience = "20 seconds"
/** The client cannot read a stream twice, so tries are counted here, each with a stream of its own. */
const triesMore = 2

export const layer = (bucket: Bucket) =>
  Layer.effect(
    FileStorage,
    Effect.gen(function* () {
      const { GetObjectCommand, PutObjectCommand, S3Client } = yield* Effect.promise(() => import("@aws-sdk/client-s3"))
      const client = yield* Effect.acquireRelease(
        Effect.sync(() => new S3Client(configOf(bucket))),
        (open) => Effect.sync(() => open.destroy())
      )
      const Bucket = bucket.name

      const ask = <A>(send: (options: { readonly abortSignal: AbortSignal }) => Promise<A>) =>
        Effect.tryPromise({
          try: (abortSignal) => send({ abortSignal }),
          catch: (cause) => new BucketFailed(cause)
        }).pipe(
          Effect.timeoutOrElse({
            duration: patience,
            orElse: () => Effect.fail(new BucketFailed("no answer in time"))
          }),
          Effect.retry({
            schedule: Schedule.exponential("200 millis"),
            times: triesMore,
            while: ({ isMissing }) => !isMissing
          })
        )

      return FileStorage.of({
        keep: (Key, { kind, path, size }) =>
          ask((options) => {
            const Body = createReadStream(path)
            const command = { Bucket, Key, Body, ContentLength: size, ContentType: kind.contentType }
            return client.send(new PutObjectCommand(command), options).finally(() => Body.destroy())
          }).pipe(Effect.asVoid, Effect.mapError(storageFailed)),
        read: (Key) =>
          ask((options) => client.send(new GetObjectCommand({ Bucket, Key }), options)).pipe(
            Effect.map(({ Body }) => Option.some(contentOf(Body as Readable))),
            Effect.catchIf(
              ({ isMissing }) => isMissing,
              () => Effect.succeedNone
            ),
            Effect.mapError(storageFailed)
          )
      })
    })
  )

const configOf = ({ accessKey, endpoint, region, secretKey }: Bucket): S3.S3ClientConfig => ({
  region,
  credentials: { accessKeyId: accessKey, secretAccessKey: Redacted.value(secretKey) },
  // A bucket as a host name needs DNS that only the large ones have.
  ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
  maxAttempts: 1,
  // It would write to the console; what fails is logged where it is known what for.
  logger: silent,
  // Checksums that trail the body are newer than most of what calls itself S3.
  requestChecksumCalculation: "WHEN_REQUIRED",
  responseChecksumValidation: "WHEN_REQUIRED"
})

const ignore = () => undefined
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore }

class BucketFailed {
  readonly message: string
  readonly isMissing: boolean
  constructor(cause: unknown) {
    this.message = String(cause)
    this.isMissing = cause instanceof Error && (cause.name === "NoSuchKey" || cause.name === "NotFound")
  }
}

const contentOf = (body: Readable) =>
  NodeStream.fromReadable<Uint8Array, StorageFailed>({
    evaluate: () => body,
    onError: (cause) => new StorageFailed({ message: String(cause) })
  })

const storageFailed = ({ message }: { readonly message: string }) =>
  new StorageFailed({ message: `The bucket failed: ${message}` })
