/** A Coffer in Effect's terms, as provided by a layer. */
import { Context, type Duration, type Effect, type Scope } from "effect"
import type { Hooks, HooksOptions, Merchant, Place } from "./options.ts"

export class Coffer extends Context.Service<
  Coffer,
  Place & {
    /**
     * Lets time pass: the TestClock stops at each time at which something is due, until it is done. Dies without a
     * TestClock.
     */
    readonly pass: (span: Duration.Input) => Effect.Effect<void>
    /** Waits until everything due now is done, such as sending webhooks. */
    readonly atRest: Effect.Effect<void>
    /** Creates another merchant. Merchants are isolated from each other. */
    readonly newMerchant: (name: string) => Effect.Effect<Merchant>
    /** Creates a webhook endpoint that records its deliveries. */
    readonly receiveWebhooks: (options?: HooksOptions) => Effect.Effect<Hooks, never, Scope.Scope>
  }
>()("@coffer/testkit/Coffer") {}
