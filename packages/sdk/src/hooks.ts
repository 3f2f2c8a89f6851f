/** Hooks for each try. The key is in none of their arguments. */
import type { CofferError } from "./errors.ts"

/** A try that is about to be sent. */
export interface RequestInfo {
  readonly method: string
  readonly url: string
  /** 1 for the first try of a call. */
  readonly attempt: number
  /** For a write: the same in each of its tries. */
  readonly idempotencyKey?: string
}

/** How a try has ended. */
export interface ResponseInfo extends RequestInfo {
  /** Undefined when no answer came. */
  readonly status?: number
  readonly requestId?: string
  readonly durationMs: number
  /** Undefined when the try has succeeded. */
  readonly error?: CofferError
  /** When another try follows: how long the call waits before it. */
  readonly retryInMs?: number
}

export interface Hooks {
  readonly onRequest?: ((request: RequestInfo) => void) | undefined
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined
}

/** Hooks do not change the outcome of calls. */
export const tell = <Info>(hook: ((info: Info) => void) | undefined, info: Info): void => {
  try {
    Promise.resolve(hook?.(info)).catch(() => undefined)
  } catch {
    // Its own.
  }
}
