/**
 * `fetch` for the operator's own addresses, an OpenID provider and `PUBLIC_URL`, bounded in time and size: an answer is
 * read whole or not at all, and no redirect is followed.
 */

const millisMax = 5_000
const bytesMax = 256 * 1024

interface Options {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string | ReadableStream | ArrayBuffer | Uint8Array | URLSearchParams | null | undefined
  readonly signal?: AbortSignal
}

export const boundedFetch = (url: string, { body, headers, method, signal: outer }: Options): Promise<Response> => {
  const late = AbortSignal.timeout(millisMax)
  const signal = outer === undefined ? late : AbortSignal.any([outer, late])
  return fetch(url, { method, headers, body: (body as BodyInit | undefined) ?? null, redirect: "manual", signal }).then(
    (response) =>
      read(response).then((bytes) => {
        const isEmpty = [204, 205, 304].includes(response.status)
        return new Response(isEmpty ? null : bytes, { status: response.status, headers: response.headers })
      })
  )
}

const read = ({ body }: Response): Promise<Uint8Array<ArrayBuffer>> => {
  if (body === null) return Promise.resolve(new Uint8Array())
  const reader = body.getReader()
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  const next = (): Promise<Uint8Array<ArrayBuffer>> =>
    reader.read().then(({ done, value }) => {
      if (done) return new Uint8Array(Buffer.concat(chunks))
      bytes += value.length
      if (bytes > bytesMax) {
        return reader.cancel().then(() => Promise.reject(new Error(`the answer is longer than ${bytesMax} bytes`)))
      }
      chunks.push(value)
      return next()
    })
  return next()
}
