/** Orders, for the wiring. */
import { Layer } from "effect"
import { jobs, slots } from "../../platform/jobs/Opening.ts"
import * as OrderCommands from "./OrderCommands.ts"
import * as OrderJobs from "./OrderJobs.ts"
import * as OrderLists from "./OrderLists.ts"
import * as Orders from "./Orders.ts"
import * as OrderStore from "./OrderStore.ts"
import * as RouteStore from "./RouteStore.ts"
import * as Routing from "./Routing.ts"

export const layer = Layer.mergeAll(jobs(OrderJobs.layer), slots(OrderCommands.layerSlots)).pipe(
  Layer.provideMerge(Layer.mergeAll(Orders.layer, OrderLists.layer, Layer.provide(Routing.layer, RouteStore.layer))),
  Layer.provideMerge(OrderCommands.layer),
  Layer.provideMerge(OrderStore.layer)
)
