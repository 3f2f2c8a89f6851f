/**
 * The version that a write replaces: `If-Match` has the version that the caller has read, in quotes. Without it, or
 * with `*`, the write replaces any version (silences: G34).
 */
import { Effect } from "effect"
import { CurrentRecord } from "./CurrentRequest.ts"

export const replacedVersion: Effect.Effect<string | undefined> = Effect.map(CurrentRecord, ({ sent }) => {
  const named = sent["if-match"]?.trim()
  return named === undefined || named === "*" ? undefined : named.replace(/^(?:W\/)?"(.*)"$/, "$1")
})
