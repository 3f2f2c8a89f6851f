/**
 * Coffer for tests: `await start()` runs the whole service in this process, on a real Postgres and a free port. Its
 * clock is stopped until the test lets time pass. Works in any test runner on Node.
 */
import { checkNode } from "./nodeVersion.ts"
import type { Hooks, HooksOptions, Merchant, Options, Place } from "./options.ts"

export type { Hooks, HooksOptions, Merchant, Received } from "./options.ts"

type Unit = "milli" | "second" | "minute" | "hour" | "day" | "week"

/** A duration: `"24 hours"`, `"90 days"`, or milliseconds. */
export type Span = number | `${number} ${Unit}` | `${number} ${Unit}s`

export interface StartOptions extends Options {
  /** The service's initial time; default: this machine's time. */
  readonly begins?: Date
}

export interface Coffer extends Place, AsyncDisposable {
  /** The service's time. */
  readonly now: () => Date
  /**
   * Lets time pass: the clock stops at each time at which something is due, until it is done. When it returns, expired
   * deadlines have been handled and webhooks have been sent.
   */
  readonly pass: (span: Span) => Promise<void>
  /** Waits until everything due now is done, such as sending webhooks. */
  readonly atRest: () => Promise<void>
  /** Creates another merchant. Merchants are isolated from each other. */
  readonly newMerchant: (name?: string) => Promise<Merchant>
  /** Creates a webhook endpoint that records its deliveries until the Coffer is stopped. */
  readonly receiveWebhooks: (options?: HooksOptions) => Promise<Hooks>
  /** Stops the service, and removes its database, and its Postgres if no other Coffer in this process uses it. */
  readonly stop: () => Promise<void>
}

/** Rejects with a one-line reason if the service cannot be started. */
export const start = async ({ begins = new Date(), ...options }: StartOptions = {}): Promise<Coffer> => {
  checkNode()
  // Imported after the check: an older Node fails while it links these modules.
  const { startCoffer } = await import("./startCoffer.ts")
  return startCoffer(begins, options)
}
