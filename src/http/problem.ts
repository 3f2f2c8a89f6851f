/**
 * An error as RFC 9457 problem details, for who asks for them by `Accept` and nobody else (silences: G3). What the
 * error body says stays in it, as extension members.
 */
import { Option, Schema } from "effect"
import { HttpServerResponse } from "effect/http"

const mediaType = "application/problem+json"

const ErrorBody = Schema.fromJsonString(
  Schema.StructWithRest(
    Schema.Struct({ code: Schema.Int, error: Schema.String, message: Schema.String, request_id: Schema.String }),
    [Schema.Record(Schema.String, Schema.Unknown)]
  )
)
const decode = Schema.decodeUnknownOption(ErrorBody)

interface Range {
  readonly type: string
  readonly quality: number
}

/** What a range of `Accept` says; of one whose quality is no number, nothing (RFC 9110, 12.5.1). */
const rangesOf = (accept: string): ReadonlyArray<Range> =>
  accept.split(",").flatMap((text) => {
    const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))
    const quality = weight === undefined ? 1 : Number(weight.slice(weight.indexOf("=") + 1))
    return quality >= 0 && quality <= 1 ? [{ type, quality }] : []
  })

/**
 * Problem details have to be named: whoever takes anything gets the error body. Named with the quality that JSON has,
 * they are preferred where they are named first, or where JSON is not named at all.
 */
const isPreferred = (accept: string): boolean => {
  if (!accept.toLowerCase().includes(mediaType)) return false
  const ranges = rangesOf(accept)
  const at = (type: string) => ranges.findIndex((range) => range.type === type)
  const problem = at(mediaType)
  if (problem < 0 || ranges[problem]!.quality === 0) return false
  const json = at("application/json")
  const other = [json, at("application/*"), at("*/*")].find((index) => index >= 0)
  const [wanted, otherwise] = [ranges[problem]!.quality, other === undefined ? 0 : ranges[other]!.quality]
  return wanted > otherwise || (wanted === otherwise && (json < 0 || problem < json))
}

export const asProblem = (
  response: HttpServerResponse.HttpServerResponse,
  accept: string | undefined
): HttpServerResponse.HttpServerResponse => {
  if (response.status < 400 || accept === undefined || !isPreferred(accept)) return response
  if (response.body._tag !== "Uint8Array") return response
  const body = decode(new TextDecoder().decode(response.body.body))
  if (Option.isNone(body)) return response
  const { code, error, message, request_id } = body.value
  const problem = {
    // Machine codes are not addresses; the title says the same for people.
    type: "about:blank",
    title: error.replaceAll("_", " "),
    status: code,
    detail: message,
    instance: `urn:coffer:${request_id}`,
    ...body.value
  }
  return HttpServerResponse.setHeaders(
    HttpServerResponse.jsonUnsafe(problem, { status: response.status, contentType: mediaType }),
    Object.fromEntries(Object.entries(response.headers).filter(([name]) => !name.startsWith("content-")))
  )
}
