/** Wallets, for the wiring. */
import { Layer } from "effect"
import { slots } from "../../platform/jobs/Opening.ts"
import * as Instructions from "./Instructions.ts"
import * as Wallets from "./Wallets.ts"
import * as WalletStore from "./WalletStore.ts"

export const layer = Layer.merge(Wallets.layer, slots(Wallets.layerSlots)).pipe(
  Layer.provideMerge(Layer.merge(Wallets.layerCommands, Instructions.layer)),
  Layer.provideMerge(WalletStore.layer)
)
