/** Erasing buyers: the requests, the worker that carries them out, and the retention of rows. */
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
