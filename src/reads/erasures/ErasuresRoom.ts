/** Erasing buyers: the requests, and the worker that carries them out. Rows that are kept no longer. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as ErasureJobs from "./ErasureJobs.ts"
import * as Erasures from "./Erasures.ts"
import * as ErasureStore from "./ErasureStore.ts"
import * as RetentionJobs from "./RetentionJobs.ts"

export const layer = jobs(Layer.merge(ErasureJobs.layer, RetentionJobs.layer)).pipe(
  Layer.provideMerge(Erasures.layer),
  Layer.provideMerge(ErasureStore.layer)
)
