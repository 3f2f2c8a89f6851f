/** The console's figures, from the rows of many rooms. */
import { Layer } from "effect"
import * as Overview from "./Overview.ts"
import * as OverviewStore from "./OverviewStore.ts"

export const layer = Overview.layer.pipe(Layer.provide(OverviewStore.layer))
