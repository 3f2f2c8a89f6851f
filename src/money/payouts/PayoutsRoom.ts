/** Payouts, for the wiring. */
import { Layer } from "effect"
import * as Payouts from "./Payouts.ts"
import * as PayoutStore from "./PayoutStore.ts"

export const layer = Layer.provideMerge(Payouts.layer, PayoutStore.layer)
