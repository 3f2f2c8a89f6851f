/**
 * Coffer inside a test that is written with Effect: a layer that goes by the test's own clock. Under `it.effect` time
 * stands still, and `pass` moves the `TestClock` from one due moment to the next.
 */
import { Effect, Layer } from "effect"
import * as coffer from "./coffer.ts"
import { Coffer } from "./CofferService.ts"
import type { Options } from "./options.ts"
import { StartFailure } from "./StartFailure.ts"

export type { Hooks, HooksOptions, Merchant, Options, Place, Received } from "./options.ts"
export { Coffer, StartFailure }

/** The whole service on a real Postgres and a free port. */
export const layer = (options: Options = {}): Layer.Layer<Coffer, StartFailure> =>
  Layer.effect(
    Coffer,
    Effect.map(coffer.make(options), ({ atRest, newMerchant, pass, place, receiveWebhooks }) => ({
      ...place,
      atRest,
      newMerchant,
      pass,
      receiveWebhooks
    }))
  )
