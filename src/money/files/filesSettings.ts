/** Settings of an operator for uploaded files: where they are reached, and the bucket that keeps them. */
import { Config, Effect, Option, type Redacted } from "effect"
import { BadSetting } from "../../platform/runtime/places.ts"
import { roomSettings } from "../../platform/runtime/roomSettings.ts"

/** A bucket of an S3-compatible service. */
export interface Bucket {
  /** Undefined for Amazon S3 in the region. */
  readonly endpoint: string | undefined
  readonly region: string
  readonly name: string
  readonly accessKey: string
  readonly secretKey: Redacted.Redacted
}

export interface FilesSettings {
  /** Where uploaded files are reached, without a slash at the end. */
  readonly filesUrl: string
  /** The bucket that keeps them; undefined for a folder of the data directory. */
  readonly filesBucket: Bucket | undefined
}

const variables = Config.all({
  filesUrl: Config.option(Config.URL("FILES_URL")),
  filesEndpoint: Config.option(Config.URL("FILES_S3_ENDPOINT")),
  filesRegion: Config.NonEmptyString("FILES_S3_REGION").pipe(Config.withDefault("us-east-1")),
  filesBucket: Config.option(Config.NonEmptyString("FILES_S3_BUCKET")),
  filesAccessKey: Config.option(Config.NonEmptyString("FILES_S3_ACCESS_KEY")),
  filesSecretKey: Config.option(Config.Redacted("FILES_S3_SECRET_KEY"))
})

const filesAddress = Effect.fnUntraced(function* (read: Option.Option<URL>, publicUrl: string) {
  if (Option.isNone(read)) return `${publicUrl}/files`
  const { hash, hostname, href, protocol, search } = read.value
  const isLocal = protocol === "http:" && (hostname === "localhost" || hostname === "127.0.0.1")
  if ((protocol !== "https:" && !isLocal) || search !== "" || hash !== "") {
    return yield* new BadSetting({
      message: "FILES_URL must look like https://files.example/evidence; http is only for localhost."
    })
  }
  return href.replace(/\/+$/, "")
})

const bucket = Effect.fnUntraced(function* (read: Config.Success<typeof variables>) {
  const settings = Option.all([read.filesBucket, read.filesAccessKey, read.filesSecretKey])
  if (Option.isNone(settings)) {
    const { filesAccessKey, filesBucket, filesEndpoint, filesSecretKey } = read
    if ([filesAccessKey, filesBucket, filesEndpoint, filesSecretKey].every((each) => Option.isNone<unknown>(each))) {
      return undefined
    }
    return yield* new BadSetting({
      message: "FILES_S3_BUCKET, FILES_S3_ACCESS_KEY and FILES_S3_SECRET_KEY must be set together: all three or none."
    })
  }
  const [name, accessKey, secretKey] = settings.value
  const endpoint = Option.getOrUndefined(Option.map(read.filesEndpoint, ({ href }) => href.replace(/\/+$/, "")))
  return { endpoint, region: read.filesRegion, name, accessKey, secretKey }
})

export const filesSettings = roomSettings<FilesSettings>({
  secrets: ["FILES_S3_SECRET_KEY"],
  read: Effect.fnUntraced(function* (publicUrl) {
    const read = yield* variables
    return { filesUrl: yield* filesAddress(read.filesUrl, publicUrl), filesBucket: yield* bucket(read) }
  })
})
