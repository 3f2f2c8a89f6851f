/** Payment links, for the wiring. */
import { Layer } from "effect"
import { slots } from "../../platform/jobs/Opening.ts"
import * as LinkCommands from "./LinkCommands.ts"
import * as Links from "./Links.ts"
import * as LinkStore from "./LinkStore.ts"

export const layer = Layer.merge(Links.layer, slots(LinkCommands.layerSlots)).pipe(
  Layer.provideMerge(LinkCommands.layer),
  Layer.provideMerge(LinkStore.layer)
)
