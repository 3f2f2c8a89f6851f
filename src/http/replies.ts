/**
 * The two ways a handler ends: an envelope around data, or a refusal with the request's id on it. A reply is finished
 * here, from a view that already has the wire's shape, so nothing is encoded twice.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { CurrentRequestId } from "./CurrentRequest.ts"

export const reply = (data: object, code: 200 | 201 | 202 = 200) =>
  Effect.map(CurrentRequestId, (request_id) =>
    HttpServerResponse.jsonUnsafe(
      { code, message: code === 200 ? "ok" : messages[code], request_id, data },
      { status: code }
    )
  )

const messages = { 201: "created", 202: "accepted" }

/** A page of a list (spec: List conventions). */
export const replyList = (
  resource: string,
  url: string,
  page: { readonly data: ReadonlyArray<object>; readonly hasMore: boolean }
) => reply({ object: "list", resource, has_more: page.hasMore, url, data: page.data })

export const refuseWith = <Refusal>(make: (request_id: string) => Refusal) =>
  Effect.flatMap(CurrentRequestId, (request_id) => Effect.fail(make(request_id)))
