/** The rotation of `SECRET_KEY`, for the wiring. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as KeyJobs from "./KeyJobs.ts"
import * as KeyStore from "./KeyStore.ts"

export const layer = Layer.provide(jobs(KeyJobs.layer), KeyStore.layer)
