/** A call that is under way: a promise of its object, and of the whole answer for callers that want it. */
import type { Raw } from "./errors.ts"

export interface Answer<T> extends Raw {
  readonly data: T
  readonly status: number
  readonly requestId: string | undefined
  /** For a write. */
  readonly idempotencyKey: string | undefined
  /** It is the stored answer of an earlier request with the same Idempotency-Key. */
  readonly isReplayed: boolean
  /** It is a file that was cut off at 10,000 rows, such as that of `csv()`. Narrower filters give the rest. */
  readonly isTruncated: boolean
  /** How many tries it took. */
  readonly attempts: number
}

export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = "Call"
  readonly #answer: Promise<Answer<T>>

  constructor(answer: Promise<Answer<T>>) {
    this.#answer = answer
  }

  /** The answer with its status, its headers and its text. */
  withResponse(): Promise<Answer<T>> {
    return this.#answer
  }

  // A call is awaited like any promise.
  // oxlint-disable-next-line unicorn/no-thenable
  then<A = T, B = never>(
    onDone?: ((data: T) => A | PromiseLike<A>) | null,
    onFailed?: ((reason: unknown) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(onDone, onFailed)
  }

  catch<B = never>(onFailed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onFailed)
  }

  finally(onEnded?: (() => void) | null): Promise<T> {
    return this.then().finally(onEnded)
  }
}
