/**
 * Remembers answers by their ETag while the page is open. A read whose answer is still the same takes a few bytes
 * (304). The browser's own cache keeps none: answers are `no-store`, since another person may sign in at this browser.
 */
import { takeEarly } from "./early.ts"

interface Remembered {
  readonly etag: string
  readonly text: string
  readonly headers: Headers
}

/** What the pages of a person read again and again. */
const answersMax = 60
const lengthMax = 400_000

/** The newest last. */
const answers = new Map<string, Remembered>()

const remember = (url: string, answer: Remembered) => {
  answers.delete(url)
  answers.set(url, answer)
  const [oldest] = answers.keys()
  if (answers.size > answersMax && oldest !== undefined) answers.delete(oldest)
}

export const remembering: typeof fetch = async (input, init) => {
  const url = input instanceof Request ? input.url : String(input)
  if (init?.method !== "GET" || new Headers(init.headers).has("range")) return fetch(input, init)
  const known = answers.get(url)
  const headers = new Headers(init.headers)
  if (known !== undefined) headers.set("If-None-Match", known.etag)
  const answer = await (takeEarly(url) ?? fetch(input, { ...init, headers }))
  if (answer.status === 304 && known !== undefined) {
    // An answer that is not read to its end would count as cut off.
    await answer.text()
    remember(url, known)
    return new Response(known.text, { status: 200, headers: known.headers })
  }
  const etag = answer.headers.get("etag")
  if (answer.status !== 200 || etag === null || !answer.headers.get("content-type")?.startsWith("application/json")) {
    return answer
  }
  const text = await answer.text()
  if (text.length <= lengthMax) remember(url, { etag, text, headers: answer.headers })
  return new Response(text, { status: 200, headers: answer.headers })
}
