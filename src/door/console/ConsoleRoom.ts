/** The figures that the console shows of the rows of many rooms. */
import { Layer } from "effect"
import * as Overview from "./Overview.ts"
import * as OverviewStore from "./OverviewStore.ts"

export const layer = Overview.layer.pipe(Layer.provide(OverviewStore.layer))
