/**
 * Files in an S3-compatible bucket. The client is loaded only when a bucket is configured, since that takes longer than
 * the rest of the start. A file is sent from disk, in one request of known length, which every S3 service accepts.
 */
import { createReadStream } from "node:fs"
import type { Readable } from "node:stream"
import type * as S3 from "@aws-sdk/client-s3"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Layer, Option, Redacted, Schedule } from "effect"
import type { Bucket } from "./filesSettings.ts"
import { FileStorage, StorageFailed } from "./FileStorage.ts"

/** A try that takes longer is given up. */
const patience = "20 seconds"
/** Retries are made here, each with a new stream, since the client cannot read a stream twice. */
const retries = 2

/** `isReadOnly`: the bucket is another installation's, which this one is a copy of. */
export const layer = (bucket: Bucket, { isReadOnly }: { readonly isReadOnly: boolean }) =>
  Layer.effect(
    FileStorage,
    Effect.gen(function* () {
      const { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } = yield* Effect.promise(
        () => import("@aws-sdk/client-s3")
      )
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
            times: retries,
            while: ({ isMissing }) => !isMissing
          })
        )

      const storage = FileStorage.of({
        keep: (Key, { kind, path, size }) =>
          ask((options) => {
            const Body = createReadStream(path)
            // The client does not listen to the stream's errors.
            const broken = new Promise<never>((_, reject) => Body.on("error", reject))
            const command = { Bucket, Key, Body, ContentLength: size, ContentType: kind.contentType }
            const sent = client.send(new PutObjectCommand(command), options)
            return Promise.race([sent, broken]).finally(() => Body.destroy())
          }).pipe(Effect.asVoid, Effect.mapError(storageFailed)),
        remove: (Key) =>
          ask((options) => client.send(new DeleteObjectCommand({ Bucket, Key }), options)).pipe(
            Effect.asVoid,
            Effect.mapError(storageFailed)
          ),
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
      return isReadOnly ? FileStorage.of({ ...storage, keep: () => closed, remove: () => closed }) : storage
    })
  )

const closed = Effect.fail(new StorageFailed({ message: "NO_OUTBOUND is set, so nothing is written to the bucket." }))

const configOf = ({ accessKey, endpoint, region, secretKey }: Bucket): S3.S3ClientConfig => ({
  region,
  credentials: { accessKeyId: accessKey, secretAccessKey: Redacted.value(secretKey) },
  // Addressing a bucket by host name needs DNS that only large providers have.
  ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
  maxAttempts: 1,
  // It would write to the console. Failures are logged by the caller.
  logger: silent,
  // Many S3-compatible services do not support checksums that follow the body.
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
