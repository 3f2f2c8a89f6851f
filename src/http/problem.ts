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

export const asProblem = (
  response: HttpServerResponse.HttpServerResponse,
  accept: string | undefined
): HttpServerResponse.HttpServerResponse => {
  if (response.status < 400 || accept?.includes(mediaType) !== true) return response
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
