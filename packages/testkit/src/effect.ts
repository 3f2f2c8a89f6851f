/**
 * Coffer for tests with Effect: a layer that uses the test's clock. Under `it.effect` time is stopped, and `pass` moves
 * the `TestClock` from one due time to the next.
 */
import { checkNode } from "./nodeVersion.ts"

checkNode()
// Imported after the check: an older Node fails while it links these modules.
const loaded = await import("./layer.ts")

export const layer: typeof import("./layer.ts").layer = loaded.layer
export const Coffer: typeof import("./layer.ts").Coffer = loaded.Coffer
export type Coffer = import("./layer.ts").Coffer
export const StartFailure: typeof import("./layer.ts").StartFailure = loaded.StartFailure
export type StartFailure = import("./layer.ts").StartFailure
export type { Hooks, HooksOptions, Merchant, Options, Place, Received } from "./options.ts"
