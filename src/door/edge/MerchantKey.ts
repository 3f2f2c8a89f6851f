/**
 * Turns `X-Api-Key` into a `Caller`, or refuses: key, then address, then approval (spec: Authentication), and then the
 * scopes of a key that has some (silences: U26). A page of the console has no key: the session of a merchant's person
 * counts as a key with the scopes of the person's role. A request that passes takes room, and is shed if there is none
 * (silences: U12). A key that has to be looked up takes room of the public. Then the request is counted against the
 * quota of its account.
 */
import { merchantAct, type Operation } from "@coffer/contract/acts"
import type { MerchantAct } from "@coffer/contract/actTypes"
import { Caller, MerchantKey, Quotas, SandboxOnly } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import type { QuotaUse } from "@coffer/contract/ConsoleMerchant"
import { McpGroup } from "@coffer/contract/Mcp"
import { type Allowlist, isAllowed, parseAllowlist } from "@coffer/rules/allowlist"
import { isForFresh } from "@coffer/rules/people/mayDo"
import { scopesOfRole } from "@coffer/rules/people/roleScopes"
import { type Mode, prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import type { PersonRole } from "@coffer/model/PersonRole"
import { covers, isOfSandbox, type Scope } from "@coffer/model/Scopes"
import { standingProblem } from "@coffer/rules/operator/standing"
import { Context, DateTime, Effect, Layer, Option, References, Result } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { KeyUses } from "../../access/keys/KeyUses.ts"
import { type FoundKey, type Keyed, type Merchant, Merchants } from "../../access/merchants/Merchants.ts"
import { AuditLog } from "../../access/operators/AuditLog.ts"
import { MerchantClocks, unmovedMillis, unmovedMillisOf } from "../../platform/runtime/MerchantClocks.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { addressParty } from "../../shared/http/addressParty.ts"
import { Admission } from "../../shared/http/Admission.ts"
import { CurrentRecord, type RequestRecord } from "../../shared/http/CurrentRequest.ts"
import { logAct } from "./auditedAct.ts"
import { make as makeCount } from "./countedCalls.ts"
import { forbidden, isFreshNow, tooOld } from "../../shared/http/granting.ts"
import { entryOf, makeSignedIn, registerFirst, roleAt } from "./peopleDoors.ts"
import { busy, refuseWith } from "../../shared/http/replies.ts"
import { memoize } from "@coffer/model/memoize"
import { takesWait } from "@coffer/contract/Lists"
import { quotaOf, type QuotaKind, type QuotaOverrides } from "@coffer/model/Quotas"
import { QuotaStore } from "./QuotaStore.ts"
import { Clients } from "../../shared/http/Clients.ts"
import { keyProblem, missingKey } from "./keyProblem.ts"
import { FailedCredentials, kindOf, queryOf, windowMillis } from "./PublicAdmission.ts"

export const layer = Layer.effect(
  MerchantKey,
  Effect.gen(function* () {
    const merchants = yield* Merchants
    const admission = yield* Admission
    const failed = yield* FailedCredentials
    const uses = yield* KeyUses
    const inAccount = yield* makeInAccount
    const byPerson = yield* makeByPerson(inAccount)

    /** A key that was not known when its request came is looked up in the room of the public. */
    const lookUp = Effect.fnUntraced(function* (record: RequestRecord, key: string, keyed: Keyed) {
      const { arrived, behind, ip } = record
      record.visit = admission.enter({ group: "public", party: addressParty(ip), kind: kindOf(record), behind })
      if (record.visit === undefined) return yield* busy
      if (key === "") return yield* refuseMissingKey(record)
      if (yield* failed.isRemembered("merchant", key)) return yield* notValid(key)
      yield* failed.check("merchant", ip)
      return yield* keyed.account(arrived)
    })
    const refuse = Effect.fnUntraced(function* ({ ip }: RequestRecord, key: string, { hasEnded }: Keyed) {
      yield* failed.note("merchant", ip, key, yield* hasEnded)
      return yield* notValid(key)
    })

    const goOn = <A, E, R>(called: Effect.Effect<A, E, R>, found: FoundKey, { act, behind, record }: Going) => {
      const { key: scoped, merchant, mode } = found
      record.keyId = scoped?.key_id
      record.scopes = scoped?.scopes
      const noted = inAccount.note(record, merchant, mode)
      return Effect.flatMapEager(noted, (): Effect.Effect<A, E | KeyRefused, Exclude<R, Caller>> => {
        const refusal = refusalOf(found, record, act)
        if (refusal !== undefined) return refusal
        if (scoped !== undefined) {
          uses.note({ keyId: scoped.key_id, at: record.arrived, ip: record.ip })
          if (act !== undefined && !isInScope(scoped.scopes, mode, act.scope)) return beyondScope(act.scope)
        }
        return inAccount.goOn(called, record, behind)
      })
    }

    // Every request passes here: with a key that is remembered, this is one step.
    const byKey = <A, E, R>(called: Effect.Effect<A, E, R>, record: RequestRecord, act: MerchantAct | undefined) => {
      const key = record.sent["x-api-key"] ?? ""
      const keyed = merchants.byKey(key)
      const { isRecalled } = keyed
      // A key that was unknown waited in the queue of its address, whose length does not count here.
      const behind = isRecalled ? record.behind : 0
      return Effect.flatMapEager(
        isRecalled ? keyed.account(record.arrived) : lookUp(record, key, keyed),
        (found): Effect.Effect<A, E | KeyRefused, Exclude<R, Caller>> =>
          Option.isNone(found) ? refuse(record, key, keyed) : goOn(called, found.value, { act, record, behind })
      )
    }

    return MerchantKey.of({
      apiKey: (called, at) =>
        Effect.withFiber((fiber) => {
          const record = fiber.getRef(CurrentRecord)
          return record.ofConsole === undefined ? byKey(called, record, actAt(at).act) : byPerson(called, at)
        })
    })
  })
)

type KeyRefused =
  | Wire.Forbidden
  | Wire.InvalidApiKey
  | Wire.IpNotAllowed
  | Wire.MerchantNotApproved
  | Wire.MissingApiKey
  | Wire.RateLimited
  | Wire.Unavailable

/** A call that passes, and how many of its account waited behind it. */
interface Going {
  readonly act: MerchantAct | undefined
  readonly record: RequestRecord
  readonly behind: number
}

/** Continues a call whose account is known, by a key or by a person of the console. */
const makeInAccount = Effect.gen(function* () {
  const admission = yield* Admission
  const clocks = yield* MerchantClocks
  const ids = yield* NewIds

  /** Its log is listed by the time in its id, as all objects are. */
  const rename = (record: RequestRecord, account: Account) =>
    Effect.map(clocks.working(account, ids.next(prefixes.request)), (id) => void (record.requestId = id))
  const annotated = <A, E, R>({ requestId: request_id }: RequestRecord, effect: Effect.Effect<A, E, R>) =>
    Effect.updateService(effect, References.CurrentLogAnnotations, (all) => ({ ...all, request_id }))

  return {
    /** Notes the call's account. */
    note: (record: RequestRecord, { merchant_id: merchantId, quotas }: Merchant, mode: Mode) => {
      const account: Account = { merchantId, mode }
      record.account = account
      record.ahead = clocks.offsetOf(account)
      record.quotas = quotas
      return record.ahead > 0 ? rename(record, account) : Effect.void
    },
    /** `behind`: how many of its account waited, for the length of its queue. */
    goOn: <A, E, R>(httpEffect: Effect.Effect<A, E, R>, record: RequestRecord, behind: number) => {
      const account = record.account!
      const kind = kindOf(record)
      if (record.visit !== undefined) admission.move(record.visit, "left")
      const rows = kind === "reads" ? record.rows : 0
      record.visit = admission.enter({ group: account.mode, party: account.merchantId, kind, rows, behind })
      if (record.visit === undefined) return busy
      const called = Effect.provideService(httpEffect, Caller, account)
      return record.ahead === 0 ? called : clocks.within(account, annotated(record, called))
    }
  }
})

const noRole = forbidden("You have no role at this merchant.")

type InAccount = Effect.Success<typeof makeInAccount>

/**
 * A call of the console: checks the session, and whether the role may. A write is in the audit log, before and after.
 */
const makeByPerson = Effect.fnUntraced(function* (inAccount: InAccount) {
  const merchants = yield* Merchants
  const signedInOf = yield* makeSignedIn
  const log = yield* AuditLog

  return Effect.fnUntraced(function* <A, E, R>(httpEffect: Effect.Effect<A, E, R>, called: Called) {
    const record = yield* CurrentRecord
    const { merchantId, mode } = record.ofConsole!
    const signedIn = yield* signedInOf(record)
    const role = roleAt(signedIn.person, merchantId) as PersonRole | undefined
    if (role === undefined) return yield* noRole
    if (signedIn.needsPasskey) return yield* forbidden(registerFirst)
    const operation = operationOf(called)
    const act = merchantAct(operation)
    const entry = {
      ...entryOf(signedIn, role, operation, record),
      target: `/console/api/accounts/${merchantId}/${mode}${record.path.slice("/v1".length)}`
    }
    const held = scopesOfRole(role, mode)
    record.scopes = held
    if (!isInScope(held, mode, act.scope)) {
      yield* log.writeOnce({ ...entry, phase: "refused", status: 403 })
      return yield* forbidden(`The role ${role} does not have the scope ${act.scope} in ${mode}.`)
    }
    if (isForFresh(act.fresh, mode) && !(yield* isFreshNow(signedIn.session.created_at))) {
      return yield* forbidden(tooOld)
    }
    const found = yield* Effect.option(merchants.find(merchantId))
    if (Option.isNone(found)) return yield* noRole
    const merchant = found.value
    yield* inAccount.note(record, merchant, mode)
    const refusal = refusalOfMerchant(merchant, { act, mode, arrived: record.arrived })
    if (refusal !== undefined) return yield* refusal
    record.person = signedIn.person.email
    record.changer = {
      asker: { personIds: [signedIn.person.person_id], sessionId: signedIn.session.session_id },
      may: (role) => isInScope(scopesOfRole(role, mode), mode, act.scope)
    }
    const handled = act.isLogged ? logAct(log, entry, record, httpEffect, act.hidesWords) : httpEffect
    return yield* inAccount.goOn(handled, record, record.behind)
  })
})

interface Called {
  readonly endpoint: HttpApiEndpoint.Top
  readonly group: HttpApiGroup.Top
}

const operationOf = ({ endpoint, group }: Called) => `${group.identifier}.${endpoint.identifier}` as Operation

/** More than there are endpoints. */
const endpointsMax = 1_000

/** The act of an endpoint. Any key may send messages to the MCP server: the calls of its tools ask for their scopes. */
const actAt = memoize(
  endpointsMax,
  ({ endpoint }: Called) => endpoint,
  (called): { readonly act: MerchantAct | undefined } => ({
    act: called.group.identifier === McpGroup.identifier ? undefined : merchantAct(operationOf(called))
  })
)

/** The refusal of a call with an active key, the first that applies; undefined if none does. */
const refusalOf = ({ key, merchant, mode }: FoundKey, { arrived, ip }: RequestRecord, act: MerchantAct | undefined) => {
  if (!isCallerAllowed(merchant.modes[mode], ip) || (key !== undefined && !isCallerAllowed(key, ip))) {
    return refuseWith(
      (request_id) =>
        new Wire.IpNotAllowed({
          message: `This key can't be used from ${ip}. Add it to the allowlist in the console.`,
          request_id
        })
    )
  }
  return refusalOfMerchant(merchant, { act, mode, arrived })
}

interface Calling {
  readonly mode: Mode
  /** Milliseconds since 1970. */
  readonly arrived: number
  /** Undefined for a message to the MCP server, which by itself changes nothing. */
  readonly act: MerchantAct | undefined
}

const refusalOfMerchant = (merchant: Merchant, { act, arrived, mode }: Calling) => {
  if (merchant.suspended_at !== null || merchant.closed_at !== null) {
    const problem = standingProblem(merchant, DateTime.makeUnsafe(arrived), act?.state ?? "kept")
    if (problem !== undefined) return forbidden(problem)
  }
  return mode === "live" && !merchant.approved ? notApproved : undefined
}

const notYetApproved = "Live keys work once the merchant is approved. Use the key svc_test_… of the sandbox until then."
const notApproved = refuseWith((request_id) => new Wire.MerchantNotApproved({ message: notYetApproved, request_id }))

/** For a live key there are no test helpers, whatever its scopes. */
const isInScope = (scopes: ReadonlyArray<string>, mode: Mode, scope: Scope) =>
  covers(scopes, scope) || (mode === "live" && isOfSandbox(scope))

const beyondScope = (scope: Scope) =>
  refuseWith(
    (request_id) =>
      new Wire.Forbidden({
        message: `This key does not have the scope ${scope}. Use one that has it.`,
        request_id
      })
  )

const refuseMissingKey = ({ sent }: RequestRecord) =>
  refuseWith((request_id) => new Wire.MissingApiKey({ message: missingKey(sent["authorization"]), request_id }))

const notValid = (key: string) =>
  refuseWith((request_id) => new Wire.InvalidApiKey({ message: keyProblem(key), request_id }))

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
  // A list that does not parse was still meant to restrict callers, so it allows none.
  return allowlist !== undefined && isAllowed(allowlist, ip)
}

export const layerSandboxOnly = Layer.succeed(
  SandboxOnly,
  SandboxOnly.of(<A, E, R>(called: Effect.Effect<A, E, R>) =>
    Effect.withFiber<A, E | Wire.RouteNotFound, R | Caller>(({ context }) =>
      Context.getUnsafe(context, Caller).mode === "sandbox" ? called : noSuchEndpoint
    )
  )
)
const sandboxOnly = "Test helpers are in the sandbox only. Use the key svc_test_…, and never a live one in tests."
const noSuchEndpoint = refuseWith((request_id) => new Wire.RouteNotFound({ message: sandboxOnly, request_id }))

// Quotas -------------------------------------------------------------------------
// Requests per minute of each merchant and environment. Writes, reads, CSV exports and calls of the sandbox's test
// helpers are counted separately, and so are those that people make from the console. The check runs after the key and
// before idempotency and validation, so replays and refused requests count, too (spec: Limits; silences: G10, U1, P6).

export const layerQuotas = Layer.effect(
  Quotas,
  Effect.gen(function* () {
    const count = yield* makeCount
    const { building } = yield* Clients

    /** An answer with many objects is made in its turn. */
    const inTurn = <A, E, R>(called: Effect.Effect<A, E, R>, record: RequestRecord) => {
      const { rows, visit } = record
      if (visit?.kind !== "reads" || rows === 0) return called
      const taken = building.take(visit, rows, () => {
        record.rowsTaken = rows
      })
      return Effect.andThen(taken, called)
    }

    return Quotas.of(
      <A, E, R>(called: Effect.Effect<A, E, R>, { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }) =>
        Effect.withFiber<A, E | Wire.RateLimited, R | Caller>((fiber) => {
          const { merchantId, mode } = Context.getUnsafe(fiber.context, Caller)
          const record = fiber.getRef(CurrentRecord)
          const kind = isHelper(record) ? "helpers" : (record.visit?.kind ?? kindOf(record))
          const limit = quotaOf(record.quotas, kind)
          // A page that people open does not use up the quota of the merchant's own servers, and neither does a
          // long-poll.
          const own = kind === "reads" && queryOf(record).has("wait") && takesWait(endpoint) ? `waits:${kind}` : kind
          const counted = record.ofConsole === undefined ? own : `console:${kind}`
          const key = `${merchantId}:${mode}:${counted}`
          return Effect.flatMapEager(count(record, { key, kind, limit }, unmovedMillisOf(fiber)), () =>
            inTurn(called, record)
          )
        })
    )
  })
)

/** The quotas that an account has used in this minute, for programs and for people. */
export const makeQuotaUse = Effect.map(QuotaStore, (store) =>
  Effect.fnUntraced(function* ({ merchantId, mode }: Account, quotas: QuotaOverrides) {
    const kinds = quotaKinds.filter((kind) => kind !== "helpers" || mode === "sandbox")
    const counted: ReadonlyArray<Omit<QuotaUse, "used"> & { readonly key: string }> = [
      ...kinds.flatMap((kind) => [
        { kind, by: "keys" as const, limit: quotaOf(quotas, kind), key: `${merchantId}:${mode}:${kind}` },
        { kind, by: "console" as const, limit: quotaOf(quotas, kind), key: `${merchantId}:${mode}:console:${kind}` }
      ]),
      { kind: "waits", by: "keys", limit: quotaOf(quotas, "reads"), key: `${merchantId}:${mode}:waits:reads` }
    ]
    const used = yield* store.used(
      counted.map(({ key }) => key),
      windowMillis,
      yield* unmovedMillis
    )
    return counted.map(({ by, kind, limit }, place): QuotaUse => ({ kind, by, limit, used: used?.[place] ?? null }))
  })
)
export const quotaWindowSeconds = windowMillis / 1_000

const quotaKinds: ReadonlyArray<QuotaKind> = ["writes", "reads", "csv", "helpers"]

const isHelper = ({ route }: RequestRecord): boolean => route.startsWith("/v1/test_helpers/")
