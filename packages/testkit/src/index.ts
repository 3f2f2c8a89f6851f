/**
 * Coffer inside a test: `await start()` runs the whole service in this process, on a real Postgres and a free port. Its
 * time stands still until the test lets it pass. Works in any test runner on Node.
 */
import { checkNode } from "./nodeVersion.ts"
import type { Hooks, HooksOptions, Merchant, Options, Place } from "./options.ts"

export type { Hooks, HooksOptions, Merchant, Received } from "./options.ts"

type Unit = "milli" | "second" | "minute" | "hour" | "day" | "week"

/** A span of time: `"24 hours"`, `"90 days"`, or milliseconds. */
export type Span = number | `${number} ${Unit}` | `${number} ${Unit}s`

export interface StartOptions extends Options {
  /** The time of the service at first; the time of this machine unless given. */
  readonly begins?: Date
}

export interface Coffer extends Place, AsyncDisposable {
  /** The time of the service. */
  readonly now: () => Date
  /**
   * Lets time pass: the clock goes to each moment at which something is due, and waits there until it is done.
   * Deadlines are met and webhooks have been sent when it returns.
   */
  readonly pass: (span: Span) => Promise<void>
  /** Waits until all is done that is due now, such as sending webhooks. */
  readonly atRest: () => Promise<void>
  /** One more merchant. Merchants do not see each other. */
  readonly newMerchant: (name?: string) => Promise<Merchant>
  /** A webhook endpoint that keeps what it is sent, until the Coffer is stopped. */
  readonly receiveWebhooks: (options?: HooksOptions) => Promise<Hooks>
  /** Ends the service. Its database is removed, and its Postgres when no other Coffer in this process uses it. */
  readonly stop: () => Promise<void>
}

/** Fails with one line that says why, when the service cannot be started. */
export const start = async ({ begins = new Date(), ...options }: StartOptions = {}): Promise<Coffer> => {
  checkNode()
  // All else comes after the check: an older Node fails while it links these modules.
  const { startCoffer } = await import("./startCoffer.ts")
  return startCoffer(begins, options)
}
