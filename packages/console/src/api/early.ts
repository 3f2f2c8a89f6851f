/** Reads that `early.ts` has begun, by their addresses. Two scripts share them, so they are on the page itself. */

type Reads = Map<string, Promise<Response>>

const place = globalThis as unknown as { coffer?: Reads }

export const earlyReads = (): Reads => (place.coffer ??= new Map())

/** The answer of a read that was begun early: for the first who asks. */
export const takeEarly = (url: string): Promise<Response> | undefined => {
  const answer = earlyReads().get(url)
  earlyReads().delete(url)
  return answer
}
