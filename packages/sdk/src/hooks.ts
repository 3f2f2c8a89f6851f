/** Hooks for each attempt. Their arguments never contain the key. */
import type { CofferError } from "./errors.ts"

/** An attempt that is about to be sent. */
export interface RequestInfo {
  readonly method: string
  readonly url: string
  /** 1 for the first attempt of a call. */
  readonly attempt: number
  /** For a write: the same for all of its attempts. */
  readonly idempotencyKey?: string
}

/** The result of an attempt. */
export interface ResponseInfo extends RequestInfo {
  /** Undefined without a response. */
  readonly status?: number
  readonly requestId?: string
  readonly durationMs: number
  /** Undefined if the attempt succeeded. */
  readonly error?: CofferError
  /** If the call is retried: the delay before the next attempt. */
  readonly retryInMs?: number
}

export interface Hooks {
  readonly onRequest?: ((request: RequestInfo) => void) | undefined
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined
}

/** Errors of hooks do not change the outcome of calls. */
export const tell = <Info>(hook: ((info: Info) => void) | undefined, info: Info): void => {
  try {
    Promise.resolve(hook?.(info)).catch(() => undefined)
  } catch {
    // Its own.
  }
}
