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

const previousUntilOf = ({ previous_until, revoked_at }: ApiKey, now: DateTime.Utc) =>
  revoked_at === null && previous_until !== null && DateTime.isGreaterThan(previous_until, now)
    ? isoText(previous_until)
    : null

export const apiKeyView: (key: ApiKey, now: DateTime.Utc) => ApiKeyResource = makeRowView<
  ApiKey,
  [now: DateTime.Utc]
>()(apiKeys, { status: statusOf, previous_until: previousUntilOf })
