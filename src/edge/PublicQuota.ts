/** Requests a minute of one visitor, who has no key: counted by the client's address (spec: Limits). */
import { quotaWindow } from "@coffer/model/Limits"
import { Duration, Effect } from "effect"
import { addressParty } from "../http/addressParty.ts"
import { CurrentRecord } from "../http/CurrentRequest.ts"
import { unmovedMillis } from "../platform/runtime/MovedClock.ts"
import { QuotaStore, type Taken } from "./QuotaStore.ts"

/** What has to be provided. */
export type Needs = QuotaStore

const windowMillis = Duration.toMillis(quotaWindow)

/** Counts one `what` of the visitor whose request this is, unless `limit` are counted already. */
export const make = Effect.map(
  QuotaStore,
  (store) =>
    (what: string, limit: number): Effect.Effect<Taken> =>
      Effect.gen(function* () {
        const { ip } = yield* CurrentRecord
        return yield* store.take(`${what}:${addressParty(ip)}`, limit, windowMillis, yield* unmovedMillis)
      })
)
