/**
 * Whether the signed-in person may give the rights of an act. The door has checked the role and the session; only the
 * handler knows which rights are given: by the body, or by an existing key.
 */
import * as Wire from "@coffer/contract/Errors"
import { CurrentPerson } from "@coffer/contract/Caller"
import type { PersonRole } from "@coffer/model/PersonRole"
import { isGivenFresh, type Key, lacking, type Person } from "@coffer/rules/people/rights"
import { freshFor } from "@coffer/rules/people/signIn"
import { DateTime, Duration, Effect } from "effect"
import { currentTime } from "../../platform/runtime/clock.ts"
import { refuseWith } from "./replies.ts"

export const forbidden = (message: string) => refuseWith((request_id) => new Wire.Forbidden({ message, request_id }))

/** Whether the session was opened a short time ago. */
export const isFreshNow = (openedAt: DateTime.Utc): Effect.Effect<boolean> =>
  Effect.map(currentTime, (now) => Duration.isLessThanOrEqualTo(DateTime.distance(openedAt, now), freshFor))

export const tooOld = "This session is older than 15 minutes. Sign in again."

export const grant = Effect.fnUntraced(function* (merchantId: string, gift: Key | Person) {
  const { shown } = yield* CurrentPerson
  const role = shown.person.roles.find(({ merchant_id }) => merchant_id === merchantId)?.role as PersonRole
  const missing = lacking({ is: "person", role }, gift)
  if (missing.length > 0) {
    return yield* forbidden(`The role ${role} can't grant permissions it doesn't have: ${missing.join(", ")}.`)
  }
  const openedAt = DateTime.makeUnsafe(shown.session.created_at)
  if (isGivenFresh(gift) && !(yield* isFreshNow(openedAt))) return yield* forbidden(tooOld)
})
