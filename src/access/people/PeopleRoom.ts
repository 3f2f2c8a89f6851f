/** People who sign in to the console, their sessions, and the views that they have saved. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as People from "./People.ts"
import * as PeopleJobs from "./PeopleJobs.ts"
import * as Challenges from "./Challenges.ts"
import * as OpenId from "./OpenId.ts"
import * as Passkeys from "./Passkeys.ts"
import * as SavedViews from "./SavedViews.ts"
import * as SignIn from "./SignIn.ts"

export const layer = Layer.mergeAll(jobs(PeopleJobs.layer), People.layer, SavedViews.layer).pipe(
  Layer.provideMerge(SignIn.layer),
  Layer.provideMerge(Layer.merge(Passkeys.layer, OpenId.layer)),
  Layer.provideMerge(Challenges.layer)
)
