/** Tables of the service's own operation. */
import { ownTable } from "./Resource.ts"

export const mailCounts = ownTable("mail_counts", ["day", "counted", "mails"])
/** What they are about is sealed. */
export const waitingMails = ownTable("waiting_mails", ["id", "about", "sealed", "attempts", "due_at", "gives_up_at"])
export const listHorizons = ownTable("list_horizons", ["merchant_id", "mode", "shown", "calls"])
const quota = ["key", "quota", "window_ms", "at_ms", "wanted", "granted", "moments", "counts"] as const
export const quotaCounts = ownTable("quota_counts", quota)
export const retention = ownTable("retention", ["kind", "dropped_before"])
const vitals = ["instance", "address", "version", "node", "run", "vitals", "started_at", "heard_at", "drains"] as const
export const runnerVitals = ownTable("runner_vitals", vitals)
const runner = ["address", "process", "version", "run", "messages", "takes_part", "newest_migration"] as const
export const runners = ownTable("runners", runner)
export const laterFills = ownTable("later_fills", ["name", "place", "filled", "is_over"])
const walk = ["walk_part", "walk_after", "walk_from", "walk_resealed"] as const
export const secretCheck = ownTable("secret_check", ["one", "value", "previous", "kept", "moved_at", ...walk])
