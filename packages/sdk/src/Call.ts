/** A pending call: a promise of its object, or of the whole response. */
import type { Raw } from "./errors.ts"

export interface Answer<T> extends Raw {
  readonly data: T
  readonly status: number
  readonly requestId: string | undefined
  /** For a write. */
  readonly idempotencyKey: string | undefined
  /** Whether it is the stored answer of an earlier request with the same Idempotency-Key. */
  readonly isReplayed: boolean
  /** Whether the file, such as that of `csv()`, was truncated at 10,000 rows. Narrower filters return the rest. */
  readonly isTruncated: boolean
  /** The number of attempts. */
  readonly attempts: number
}

export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = "Call"
  readonly #answer: Promise<Answer<T>>

  constructor(answer: Promise<Answer<T>>) {
    this.#answer = answer
  }

  /** The response with status, headers and text. */
  withResponse(): Promise<Answer<T>> {
    return this.#answer
  }

  // A call can be awaited like any promise.
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
