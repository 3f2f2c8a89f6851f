/**
 * Turns `X-Api-Key` into a `Caller`, or refuses: key, then address, then approval (spec: Authentication), and then the
 * scopes of a key that has some (silences: U26).
 * A request that passes is counted as work, and is refused if there is too much of it (silences: U12). So is a key that
 * has to be looked up, as the public's.
 */
import { Caller, MerchantKey, SandboxOnly } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import { scopeOf } from "@coffer/contract/scopes"
import { type Allowlist, isAllowed, parseAllowlist } from "@coffer/rules/allowlist"
import { type Mode, prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { covers, isOfClosed, isOfSandbox, type Scope } from "@coffer/model/Scopes"
import { closedProblem } from "@coffer/rules/operator/closing"
import { DateTime, Effect, Layer, Option, Redacted, References, Result } from "effect"
import { KeyUses } from "../keys/KeyUses.ts"
import { type FoundKey, Merchants } from "../merchants/Merchants.ts"
import type { ScopedKey } from "../merchants/ScopedKey.ts"
import { MerchantClocks } from "../platform/runtime/MerchantClocks.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import { addressParty } from "../http/addressParty.ts"
import { Admission } from "../http/Admission.ts"
import { CurrentRecord, type RequestRecord } from "../http/CurrentRequest.ts"
import { FailedCredentials } from "./FailedCredentials.ts"
import { kindOf } from "./Quotas.ts"
import { busy, refuseWith } from "../http/replies.ts"

export const layer = Layer.effect(
  MerchantKey,
  Effect.gen(function* () {
    const merchants = yield* Merchants
    const admission = yield* Admission
    const failed = yield* FailedCredentials
    const clocks = yield* MerchantClocks
    const ids = yield* NewIds
    const uses = yield* KeyUses

    /** Its log is listed by the time in its id, as all objects are. */
    const rename = (record: RequestRecord, account: Account) =>
      Effect.map(clocks.working(account, ids.next(prefixes.request)), (id) => void (record.requestId = id))
    const annotated = <A, E, R>({ requestId: request_id }: RequestRecord, effect: Effect.Effect<A, E, R>) =>
      Effect.updateService(effect, References.CurrentLogAnnotations, (all) => ({ ...all, request_id }))

    return MerchantKey.of({
      apiKey: Effect.fnUntraced(function* (httpEffect, { credential, endpoint, group }) {
        const key = Redacted.value(credential)
        const record = yield* CurrentRecord
        const kind = kindOf(record)
        const keyed = merchants.byKey(key)
        if (!keyed.isRecalled) {
          const { behind, ip } = record
          record.visit = admission.enter({ group: "public", party: addressParty(ip), kind, behind })
          if (record.visit === undefined) return yield* busy
        }
        // A request without the header arrives here with an empty credential.
        if (key === "") {
          return yield* refuseWith(
            (request_id) => new Wire.MissingApiKey({ message: "Send your secret key in X-Api-Key.", request_id })
          )
        }
        if (!keyed.isRecalled) {
          if (yield* failed.isRemembered("merchant", key)) return yield* notValid
          yield* failed.check("merchant", record.ip)
        }
        const account = yield* keyed.account(record.arrived)
        if (Option.isNone(account)) {
          yield* failed.note("merchant", record.ip, key, yield* keyed.hasEnded)
          return yield* notValid
        }
        const { key: scoped, merchant, mode } = account.value
        record.account = { merchantId: merchant.merchant_id, mode }
        record.keyId = scoped?.key_id
        record.ahead = clocks.offsetOf(record.account)
        if (record.ahead > 0) yield* rename(record, record.account)
        record.quotas = merchant.quotas
        const scope = scopeOf(group.identifier, endpoint.identifier)
        const refusal = refusalOf(account.value, record, scope)
        if (refusal !== undefined) return yield* refusal
        if (scoped !== undefined) {
          uses.note({ keyId: scoped.key_id, at: record.arrived, ip: record.ip })
          if (!isInScope(scoped, mode, scope)) return yield* beyondScope(scope)
        }
        if (record.visit !== undefined) admission.leave(record.visit)
        // A key that was unknown waited in the line of its address, whose length does not count here.
        const behind = keyed.isRecalled ? record.behind : 0
        const rows = kind === "reads" ? record.rows : 0
        record.visit = admission.enter({ group: mode, party: merchant.merchant_id, kind, rows, behind })
        if (record.visit === undefined) return yield* busy
        const called = Effect.provideService(httpEffect, Caller, record.account)
        return yield* record.ahead === 0 ? called : clocks.within(record.account, annotated(record, called))
      })
    })
  })
)

/** The refusal of a call whose key works, the first of these that applies; undefined where there is none. */
const refusalOf = ({ key, merchant, mode }: FoundKey, { arrived, ip }: RequestRecord, scope: Scope) => {
  if (!isCallerAllowed(merchant.modes[mode], ip) || (key !== undefined && !isCallerAllowed(key, ip))) {
    return refuseWith(
      (request_id) => new Wire.IpNotAllowed({ message: `Calls from ${ip} are not allowed for this key.`, request_id })
    )
  }
  if (merchant.suspended_at !== null) return suspended
  if (merchant.closed_at !== null) {
    const closed = closedProblem(merchant.closed_at, DateTime.makeUnsafe(arrived), isOfClosed(scope))
    if (closed !== undefined) return refuseWith((request_id) => new Wire.Forbidden({ message: closed, request_id }))
  }
  return mode === "live" && !merchant.approved ? notApproved : undefined
}

const suspended = refuseWith((request_id) => new Wire.Forbidden({ message: "This merchant is suspended.", request_id }))
const notApproved = refuseWith(
  (request_id) => new Wire.MerchantNotApproved({ message: "Live keys work once the merchant is approved.", request_id })
)

/** For a live key there are no test helpers, whatever its scopes. */
const isInScope = ({ scopes }: ScopedKey, mode: Mode, scope: Scope) =>
  covers(scopes, scope) || (mode === "live" && isOfSandbox(scope))

const beyondScope = (scope: Scope) =>
  refuseWith((request_id) => new Wire.Forbidden({ message: `This key does not have the scope ${scope}.`, request_id }))

const notValid = refuseWith(
  (request_id) => new Wire.InvalidApiKey({ message: "This key is not valid, or has ended.", request_id })
)

/** An environment's settings, or a key with scopes. */
interface Allowing {
  readonly ip_allowlist: string
}

/** Settings are never changed in place, so the list is parsed once for each version of them. */
const allowlists = new WeakMap<Allowing, Allowlist | undefined>()

const isCallerAllowed = (settings: Allowing, ip: string): boolean => {
  if (settings.ip_allowlist === "") return true
  if (!allowlists.has(settings)) {
    allowlists.set(settings, Result.getOrUndefined(parseAllowlist(settings.ip_allowlist)))
  }
  const allowlist = allowlists.get(settings)
  // A list that does not parse was still meant to keep callers out, so it lets no caller in.
  return allowlist !== undefined && isAllowed(allowlist, ip)
}

export const layerSandboxOnly = Layer.succeed(
  SandboxOnly,
  Effect.fnUntraced(function* (httpEffect) {
    const { mode } = yield* Caller
    if (mode === "sandbox") return yield* httpEffect
    return yield* refuseWith((request_id) => new Wire.RouteNotFound({ message: "No such endpoint.", request_id }))
  })
)
