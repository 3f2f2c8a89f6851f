/** Keys with scopes, and keys that were found in public. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as ApiKeyStore from "./ApiKeyStore.ts"
import * as KeyUses from "./KeyUses.ts"
import * as LeakJobs from "./LeakJobs.ts"
import * as Leaks from "./Leaks.ts"
import * as LeakStore from "./LeakStore.ts"

export const layer = jobs(LeakJobs.layer).pipe(
  Layer.provideMerge(Layer.merge(ApiKeys.layer, Leaks.layer)),
  Layer.provideMerge(KeyUses.layer),
  Layer.provideMerge(Layer.merge(ApiKeyStore.layer, LeakStore.layer))
)
