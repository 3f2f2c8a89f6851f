/** An order's timeline, for the wiring. */
import { Layer } from "effect"
import * as Timelines from "./Timelines.ts"
import * as TimelineStore from "./TimelineStore.ts"

export const layer = Layer.provideMerge(Timelines.layer, TimelineStore.layer)
