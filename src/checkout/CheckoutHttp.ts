/** Placeholder until the checkout page lands; overwrite this file. */
import { Layer } from "effect"

export const layer = Layer.empty
