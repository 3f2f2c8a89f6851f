/**
 * The settings of OpenTelemetry: the collector, its headers, and the service's name there. The names and forms are the
 * standard's. Headers hold tokens, so they are never printed.
 */
import { Config, Effect, Option, Redacted, Result } from "effect"
import { BadSetting } from "./places.ts"

export interface Collector {
  readonly url: URL
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly serviceName: string
}

export const variables = {
  endpoint: Config.option(Config.URL("OTEL_EXPORTER_OTLP_ENDPOINT")),
  headers: Config.Redacted("OTEL_EXPORTER_OTLP_HEADERS").pipe(Config.withDefault(Redacted.make(""))),
  serviceName: Config.option(Config.NonEmptyString("OTEL_SERVICE_NAME")),
  /** Read once more by the library, which adds all of them to what is sent. */
  attributes: Config.String("OTEL_RESOURCE_ATTRIBUTES").pipe(Config.withDefault(""))
}

interface Read {
  readonly endpoint: Option.Option<URL>
  readonly headers: Redacted.Redacted
  readonly serviceName: Option.Option<string>
  readonly attributes: string
}

/** None where nothing is sent. Settings are checked all the same. */
export const collectorOf = Effect.fnUntraced(function* (read: Read) {
  const headers = pairsOf(Redacted.value(read.headers))
  if (headers === undefined || !Object.entries(headers).every(isHeader)) {
    // The bad value is not shown: it may hold a token.
    return yield* new BadSetting({
      message: "OTEL_EXPORTER_OTLP_HEADERS must be comma-separated headers as name=value, with percent-encoded values."
    })
  }
  const attributes = pairsOf(read.attributes)
  if (attributes === undefined) {
    return yield* new BadSetting({
      message: "OTEL_RESOURCE_ATTRIBUTES must be comma-separated name=value pairs, with percent-encoded values."
    })
  }
  if (Option.isNone(read.endpoint)) return Option.none()
  const url = read.endpoint.value
  if (!/^https?:$/.test(url.protocol) || `${url.username}${url.password}${url.search}${url.hash}` !== "") {
    return yield* new BadSetting({
      message:
        "OTEL_EXPORTER_OTLP_ENDPOINT must look like http://collector.example:4318, without a user, a password or a " +
        "query: put credentials into OTEL_EXPORTER_OTLP_HEADERS."
    })
  }
  const serviceName = Option.getOrElse(read.serviceName, () => attributes["service.name"] ?? "coffer")
  return Option.some<Collector>({ url, headers: Redacted.make(headers), serviceName })
})

/** Undefined where it is no such list. */
const pairsOf = (text: string): Readonly<Record<string, string>> | undefined => {
  const pairs = text
    .split(",")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "")
  const read = Result.try(() => pairs.map((pair) => /^([^=]+)=([^=]*)$/.exec(pair)!.slice(1).map(decode)))
  return Result.isSuccess(read) ? Object.fromEntries(read.success) : undefined
}
const decode = (text: string) => decodeURIComponent(text.trim())

/** RFC 9110, 5.1 and 5.5. */
const isHeader = ([name, value]: readonly [string, string]) =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value)
