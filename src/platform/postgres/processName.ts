/** The name of this process among the sessions of Postgres, by which others know who holds a lock. */
import * as Tenancy from "@coffer/cluster/Tenancy"
import { Context } from "effect"

/** Names of keys, protocols and metrics begin with it. */
export const application = "coffer"

export const processName = Tenancy.processNameOf(application)
/** A reference, so that a test may be several processes. */
export const ProcessName = Context.Reference<string>("@coffer/platform/ProcessName", {
  defaultValue: () => processName
})
