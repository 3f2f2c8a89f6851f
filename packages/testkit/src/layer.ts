/** The layer of `effect.ts`, which is loaded once Node is known to be new enough. */
import { Effect, Layer } from "effect"
import * as coffer from "./coffer.ts"
import { Coffer } from "./CofferService.ts"
import type { Options } from "./options.ts"
import { StartFailure } from "./StartFailure.ts"

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
