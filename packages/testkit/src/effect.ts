/**
 * Coffer inside a test that is written with Effect: a layer that goes by the test's own clock. Under `it.effect` time
 * stands still, and `pass` moves the `TestClock` from one due moment to the next.
 */
import { checkNode } from "./nodeVersion.ts"

checkNode()
// All else comes after the check: an older Node fails while it links these modules.
const loaded = await import("./layer.ts")

export const layer: typeof import("./layer.ts").layer = loaded.layer
export const Coffer: typeof import("./layer.ts").Coffer = loaded.Coffer
export type Coffer = import("./layer.ts").Coffer
export const StartFailure: typeof import("./layer.ts").StartFailure = loaded.StartFailure
export type StartFailure = import("./layer.ts").StartFailure
export type { Hooks, HooksOptions, Merchant, Options, Place, Received } from "./options.ts"
