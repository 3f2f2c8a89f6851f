/**
 * The reason of a refusal in the header `Coffer-Reason`, with a link to the documents' page of its code, and RFC 9457
 * problem details for clients that ask for them by `Accept` (silences: G3, G32). The fields of the ordinary error body
 * stay in it, as extension members.
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

/** The ranges of `Accept`, without those whose quality is no number from 0 to 1 (RFC 9110, 12.5.1). */
const rangesOf = (accept: string): ReadonlyArray<Range> =>
  accept.split(",").flatMap((text) => {
    const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))
    const quality = weight === undefined ? 1 : Number(weight.slice(weight.indexOf("=") + 1))
    return quality >= 0 && quality <= 1 ? [{ type, quality }] : []
  })

/**
 * Problem details must be named explicitly: a client that accepts anything gets the ordinary error body. If they are
 * named with the same quality as JSON, they are preferred when they come first or JSON is only covered by a wildcard.
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

interface Wish {
  readonly accept: string | undefined
  /** The reason of the refusal, if it is finer than the error's code. */
  readonly fine?: string | undefined
  /** Where the documents are, without a slash at the end. */
  readonly documents: string
}

export const asProblem = (
  response: HttpServerResponse.HttpServerResponse,
  { accept, documents, fine }: Wish
): HttpServerResponse.HttpServerResponse => {
  if (response.status < 400 || response.body._tag !== "Uint8Array") return response
  const body = decode(new TextDecoder().decode(response.body.body))
  if (Option.isNone(body)) return response
  const reason = fine ?? body.value.error
  // Each finer reason has a heading on the page of its code.
  const address = `${documents}/errors/${body.value.error}${reason === body.value.error ? "" : `#${reason}`}`
  const explained = HttpServerResponse.setHeaders(response, {
    "coffer-reason": reason,
    link: `<${address}>; rel="help"`
  })
  if (accept === undefined || !isPreferred(accept)) return explained
  const { code, error, message, request_id } = body.value
  const problem = {
    type: `urn:coffer:refusal:${reason}`,
    title: error.replaceAll("_", " "),
    status: code,
    detail: message,
    instance: `urn:coffer:${request_id}`,
    doc_url: address,
    ...body.value
  }
  return HttpServerResponse.setHeaders(
    HttpServerResponse.jsonUnsafe(problem, { status: response.status, contentType: mediaType }),
    Object.fromEntries(Object.entries(explained.headers).filter(([name]) => !name.startsWith("content-")))
  )
}
