/** Merchants, for the wiring. */
import { Layer } from "effect"
import * as Merchants from "./Merchants.ts"
import * as MerchantStore from "./MerchantStore.ts"

export const layer = Layer.provideMerge(Merchants.layer, MerchantStore.layer)
