/**
 * The chain of the audit log, verified in the browser: the hash of each entry is computed again from the API's fields,
 * and each entry has to name the hash of the one before it (docs/security.md, "The text of an audit entry's hash").
 */
import type { AuditEntryResource } from "@coffer/contract/Operators"

export interface Break {
  readonly entry: AuditEntryResource
  /** `hash`: its content was changed. `link`: the entry before it was changed, removed or put in. */
  readonly kind: "hash" | "link"
}

const textOf = (entry: AuditEntryResource): string =>
  [
    entry.previous_hash,
    entry.sequence,
    entry.id,
    entry.actor_id,
    entry.actor,
    entry.role,
    entry.ip ?? "",
    entry.request_id,
    entry.act,
    entry.phase,
    entry.target,
    entry.status ?? "",
    JSON.stringify(entry.details),
    entry.created_at
  ].join("\n")

export const hashOf = async (entry: AuditEntryResource): Promise<string> => {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(textOf(entry)))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/**
 * Verifies entries, newest first. `newer`: the entry after the first of them, which has to contain its hash. The very
 * first entry contains no previous hash.
 */
export const firstBreak = async (
  entries: ReadonlyArray<AuditEntryResource>,
  newer: AuditEntryResource | undefined
): Promise<Break | undefined> => {
  let after = newer
  for (const entry of entries) {
    if (after !== undefined && (after.previous_hash !== entry.hash || after.sequence !== entry.sequence + 1))
      return { entry: after, kind: "link" }
    if ((await hashOf(entry)) !== entry.hash) return { entry, kind: "hash" }
    if (entry.sequence === 1 && entry.previous_hash !== "") return { entry, kind: "link" }
    after = entry
  }
  return undefined
}
