/**
 * The console's own API, typed by the contract, and what all clients share. `accountApi.ts` has `/v1` in one account,
 * `operatorsApi.ts` the operators' API. A person's session replaces the key (docs/decisions/0130). No other file of
 * the console sends a request.
 */
import { MerchantKey, OperatorToken } from "@coffer/contract/Caller"
import { ConsoleApi } from "@coffer/contract/Console"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as Layer from "effect/Layer"
import * as AtomHttpApi from "effect/reactivity/AtomHttpApi"
import * as Schema from "effect/Schema"
import { contentsOf, Replaces, SentKeys } from "./actKeys.ts"
import { noteAnswer, noteNoAnswer } from "./connection.ts"
import { remembering } from "./remembering.ts"

/** The environment of a merchant that a page is about. */
export interface Account {
  readonly merchantId: string
  readonly mode: "sandbox" | "live"
}

export const prepare = (rewrite: (url: string) => string) => (client: HttpClient.HttpClient) =>
  client.pipe(
    HttpClient.transformResponse(Effect.provideService(FetchHttpClient.Fetch, remembering)),
    HttpClient.mapRequestEffect((request) =>
      Effect.map(Effect.all([SentKeys, Replaces]), ([keys, replaces]) =>
        request.pipe(
          HttpClientRequest.updateUrl(rewrite),
          HttpClientRequest.setHeaders({
            "Coffer-Console": "1",
            ...(replaces === undefined ? {} : { "If-Match": `"${replaces}"` }),
            ...(keys === undefined ? {} : { "Idempotency-Key": keys.of(`${contentsOf(request)} ${replaces ?? ""}`) })
          })
        )
      )
    ),
    HttpClient.tap(({ headers, status }) => Effect.sync(() => noteAnswer(status, headers["retry-after"]))),
    HttpClient.tapError(() => Effect.sync(noteNoAnswer))
  )

/** An answer that does not match the contract. An invalid body is a separate failure: it is never sent. */
export class UnreadableAnswer extends Error {}

export const readable = (decoding: Effect.Effect<unknown, unknown, unknown>) =>
  Effect.mapError(decoding, (error) => (Schema.isSchemaError(error) ? new UnreadableAnswer(error.message) : error))

export const bySession = Layer.mergeAll(
  HttpApiMiddleware.layerClient(MerchantKey, ({ next, request }) => next(request)),
  HttpApiMiddleware.layerClient(OperatorToken, ({ next, request }) => next(request)),
  FetchHttpClient.layer
)

export const baseUrl = globalThis.location?.origin

/** The console's own API: the person who is signed in, people of a merchant, keys. */
export class OwnApi extends AtomHttpApi.Service<OwnApi>()("console", {
  api: ConsoleApi,
  httpClient: bySession,
  baseUrl,
  transformClient: prepare((url) => url),
  transformResponse: readable
}) {}

/** Bytes of the merchant API: a file, a part of one by `range` (`bytes=0-99`), or a picture. */
export const readBytes = async (account: Account, path: string, range?: string): Promise<Response | undefined> => {
  const url = `/console/api/accounts/${account.merchantId}/${account.mode}/${path}`
  const headers = { "Coffer-Console": "1", ...(range === undefined ? {} : { Range: range }) }
  try {
    const answer = await fetch(url, { headers })
    noteAnswer(answer.status, answer.headers.get("retry-after"))
    return answer
  } catch {
    noteNoAnswer()
    return undefined
  }
}

// The service itself -----------------------------------------------------------------

/** Asks whether the service answers again. */
export const askWhetherThere = async (): Promise<void> => {
  const answer = await fetch("/console/api/session", { headers: { "Coffer-Console": "1" } }).catch(() => undefined)
  if (answer !== undefined) noteAnswer(answer.status)
}

/** Whether the service has a newer console than this one. Without an answer the service is away. */
export const hasNewerConsole = async (): Promise<boolean> => {
  const answer = await fetch("/console", { cache: "no-store" }).catch(() => undefined)
  if (answer === undefined) {
    noteNoAnswer()
    return false
  }
  const own = document.querySelector<HTMLScriptElement>("script[type=module]")?.getAttribute("src") ?? ""
  return answer.ok && !(await answer.text()).includes(`"${own}"`)
}
