/** A Coffer as a layer provides it, in the words of Effect. */
import { Context, type Duration, type Effect, type Scope } from "effect"
import type { Hooks, HooksOptions, Merchant, Place } from "./options.ts"

export class Coffer extends Context.Service<
  Coffer,
  Place & {
    /**
     * Lets time pass: the TestClock goes to each moment at which something is due, and waits there until it is done.
     * Dies without a TestClock.
     */
    readonly pass: (span: Duration.Input) => Effect.Effect<void>
    /** Waits until all is done that is due now, such as sending webhooks. */
    readonly atRest: Effect.Effect<void>
    /** One more merchant. Merchants do not see each other. */
    readonly newMerchant: (name: string) => Effect.Effect<Merchant>
    /** A webhook endpoint that keeps what it is sent. */
    readonly receiveWebhooks: (options?: HooksOptions) => Effect.Effect<Hooks, never, Scope.Scope>
  }
>()("@coffer/testkit/Coffer") {}
