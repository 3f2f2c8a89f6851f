/** Events, for the wiring. */
import { Layer } from "effect"
import * as EventLists from "./EventLists.ts"
import * as Events from "./Events.ts"
import * as EventStore from "./EventStore.ts"

export const layer = Layer.merge(Events.layer, EventLists.layer).pipe(Layer.provideMerge(EventStore.layer))
