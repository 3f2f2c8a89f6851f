/**
 * Stripe's client retries a call after a lost connection even with retries switched off. A refusal or failure of the
 * retry says nothing about the first call. So the call then fails as the first one did: without an answer.
 */
import type { Stripe } from "stripe"

type Library = Pick<typeof Stripe, "HttpClient" | "createNodeHttpClient">
type HttpClient = ReturnType<Library["createNodeHttpClient"]>
type MakeRequest = HttpClient["makeRequest"]

/** Refusals that Stripe makes before it looks at the idempotency key. */
const atTheDoor: ReadonlySet<number> = new Set([401, 403, 429])

/** Without a code, so that the client does not retry. */
class CutBefore extends Error {}

export const knowsRepeats = (library: Library, agent: Parameters<Library["createNodeHttpClient"]>[0]): HttpClient => {
  const client = library.createNodeHttpClient(agent)
  /** Errors after which the library retries. */
  const closed = library.HttpClient.CONNECTION_CLOSED_ERROR_CODES
  /** Keys of cut calls that the client is about to retry. */
  const cut = new Set<string>()
  const makeRequest: MakeRequest = (...request) => {
    const key = String(request[4]["Idempotency-Key"] ?? "")
    if (key === "") return client.makeRequest(...request)
    const isRepeat = cut.delete(key)
    return client.makeRequest(...request).then(
      (response) => {
        if (!isRepeat || !atTheDoor.has(response.getStatusCode())) return response
        const failed = () => {
          throw new CutBefore(`the connection was cut, and the call after it was answered ${response.getStatusCode()}`)
        }
        // Its connection serves the next call.
        return response.toJSON().then(failed, failed)
      },
      (error: NodeJS.ErrnoException) => {
        if (isRepeat) throw new CutBefore("the connection was cut, and was not made again", { cause: error })
        if (error.code !== undefined && closed.includes(error.code)) cut.add(key)
        throw error
      }
    )
  }
  return { getClientName: () => client.getClientName(), makeRequest }
}
