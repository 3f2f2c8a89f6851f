/** A key with scopes as it is shown, without its secret. Pure. */
import type { ApiKeyResource } from "@coffer/contract/ApiKeys"
import { isoText } from "@coffer/model/isoText"
import { apiKeys } from "@coffer/resources/merchants"
import { makeRowView } from "@coffer/resources/view"
import { DateTime } from "effect"
import type { ApiKey } from "./ApiKeys.ts"

const statusOf = ({ expires_at, revoked_at }: ApiKey, now: DateTime.Utc): ApiKeyResource["status"] => {
  if (revoked_at !== null) return "revoked"
  return expires_at !== null && DateTime.isLessThanOrEqualTo(expires_at, now) ? "expired" : "active"
}

/** The ends of the old secrets of a key, with scopes or main. */
export const oldSecretsView = (oldEnds: ReadonlyArray<DateTime.Utc>) => {
  const previous_ends = oldEnds.map(isoText)
  return { previous_until: previous_ends.at(-1) ?? null, previous_ends }
}

export const apiKeyView: (key: ApiKey, now: DateTime.Utc) => ApiKeyResource = makeRowView<
  ApiKey,
  [now: DateTime.Utc]
>()(apiKeys, {
  status: statusOf,
  previous_until: ({ oldEnds }) => oldSecretsView(oldEnds).previous_until,
  previous_ends: ({ oldEnds }) => oldSecretsView(oldEnds).previous_ends
})
