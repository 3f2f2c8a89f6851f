/** Where uploaded files are kept, and where they are reached, by their settings. */
import { Effect, Option, type Redacted } from "effect"
import { BadSetting } from "./BadSetting.ts"

/** A bucket of an S3-compatible service. */
export interface Bucket {
  /** Undefined for Amazon S3 in the region. */
  readonly endpoint: string | undefined
  readonly region: string
  readonly name: string
  readonly accessKey: string
  readonly secretKey: Redacted.Redacted
}

export const filesAddress = Effect.fnUntraced(function* (read: Option.Option<URL>, publicUrl: string) {
  if (Option.isNone(read)) return `${publicUrl}/files`
  const { hash, hostname, href, protocol, search } = read.value
  const isLocal = protocol === "http:" && (hostname === "localhost" || hostname === "127.0.0.1")
  if ((protocol !== "https:" && !isLocal) || search !== "" || hash !== "") {
    return yield* new BadSetting({
      message: "FILES_URL must look like https://files.example/evidence; http is for localhost alone."
    })
  }
  return href.replace(/\/+$/, "")
})

export const bucket = Effect.fnUntraced(function* (read: {
  readonly filesEndpoint: Option.Option<URL>
  readonly filesRegion: string
  readonly filesBucket: Option.Option<string>
  readonly filesAccessKey: Option.Option<string>
  readonly filesSecretKey: Option.Option<Redacted.Redacted>
}) {
  const settings = Option.all([read.filesBucket, read.filesAccessKey, read.filesSecretKey])
  if (Option.isNone(settings)) {
    const { filesAccessKey, filesBucket, filesEndpoint, filesSecretKey } = read
    if ([filesAccessKey, filesBucket, filesEndpoint, filesSecretKey].every((each) => Option.isNone<unknown>(each))) {
      return undefined
    }
    return yield* new BadSetting({
      message: "FILES_S3_BUCKET, FILES_S3_ACCESS_KEY and FILES_S3_SECRET_KEY go together: set all three, or none."
    })
  }
  const [name, accessKey, secretKey] = settings.value
  const endpoint = Option.getOrUndefined(Option.map(read.filesEndpoint, ({ href }) => href.replace(/\/+$/, "")))
  return { endpoint, region: read.filesRegion, name, accessKey, secretKey }
})
