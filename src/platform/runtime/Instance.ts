/**
 * Which process this is, for whoever sees several: telemetry, and the list of runners. Another one after each start,
 * and known to nobody beforehand.
 */
import { randomUUID } from "node:crypto"
import { Context } from "effect"

export const Instance = Context.Reference<string>("@coffer/platform/Instance", { defaultValue: () => randomUUID() })
