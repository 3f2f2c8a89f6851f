/** The request of a client: its parameters, from the query, a form or a form with files. */
import { Effect, Result, Schema } from "effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { invalid, type Outcome } from "../wire/failure.ts"
import { type FormHash, readForm, Upload } from "../wire/form.ts"

/** Bytes. Stripe takes files of up to 10 MB and more by purpose; forms are small. */
export const bodyMax = 16_000_000

type Pairs = ReadonlyArray<readonly [string, string | Upload]>

class Unreadable extends Schema.TaggedError<Unreadable>()("Unreadable", {}) {}

export const parametersOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, query: string) {
  const inQuery: Pairs = Array.from(new URLSearchParams(query))
  if (request.method === "GET") return toForm(inQuery)
  const type = request.headers["content-type"] ?? ""
  const body = yield* Effect.result(type.startsWith("multipart/form-data") ? parts(request, type) : pairs(request))
  return Result.isFailure(body)
    ? Result.fail(invalid("The body could not be read."))
    : toForm([...inQuery, ...body.success])
})

const toForm = (pairs: Pairs): Outcome<FormHash> => {
  const form = readForm(pairs)
  return form === undefined
    ? Result.fail(invalid("Invalid request: the parameters could not be read."))
    : Result.succeed(form)
}

const pairs = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(request.text, (text): Pairs => Array.from(new URLSearchParams(text)))

/** Read whole, by the platform's form parser. */
const parts = (request: HttpServerRequest.HttpServerRequest, type: string) =>
  Effect.gen(function* () {
    const bytes = yield* request.arrayBuffer
    const form = yield* Effect.tryPromise({
      try: () => new Response(bytes, { headers: { "content-type": type } }).formData(),
      catch: () => new Unreadable()
    })
    return yield* Effect.promise(() =>
      Promise.all(
        Array.from(form, ([name, value]) =>
          typeof value === "string"
            ? ([name, value] as const)
            : value.arrayBuffer().then((data) => [name, new Upload(value.name, new Uint8Array(data))] as const)
        )
      )
    )
  })

/** Path and query. An absolute URL with another host is a proxy request, and unknown here. */
export const targetOf = (url: string): { readonly path: string; readonly query: string } => {
  const mark = url.indexOf("?")
  return mark < 0 ? { path: url, query: "" } : { path: url.slice(0, mark), query: url.slice(mark + 1) }
}
