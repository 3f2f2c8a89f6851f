/**
 * Stripe's client makes a call again by itself where the connection was cut, also with retries switched off. What such
 * a second call meets at Stripe's door, or on its way there, says nothing about what the first one did. So the call
 * then fails as the first one has: without an answer.
 */
import type { Stripe } from "stripe"

type Library = Pick<typeof Stripe, "HttpClient" | "createNodeHttpClient">
type HttpClient = ReturnType<Library["createNodeHttpClient"]>
type MakeRequest = HttpClient["makeRequest"]

/** Refusals that Stripe makes before it looks at the idempotency key. */
const atTheDoor: ReadonlySet<number> = new Set([401, 403, 429])

/** No code: the client makes no call again because of it. */
class CutBefore extends Error {}

export const knowsRepeats = (library: Library, agent: Parameters<Library["createNodeHttpClient"]>[0]): HttpClient => {
  const client = library.createNodeHttpClient(agent)
  /** The library makes a call again that ends with one of these. */
  const closed = library.HttpClient.CONNECTION_CLOSED_ERROR_CODES
  /** Keys of calls that were cut, and that the client is about to make again. */
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
