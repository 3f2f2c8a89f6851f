/**
 * The acts of the three doors, as one table: each endpoint of the merchant API (`/v1`), of the console's own API and of
 * the operators' is an act. A row defines who may do it, from which session, with how many operators, at which
 * merchants, what the audit log records, and which rights it gives. The doors decide by this table alone (`mayDo` and
 * `rights` of `@coffer/rules/people`).
 *
 * An endpoint without a row does not compile, and neither does a row without an endpoint. An endpoint whose body has a
 * role or scopes, or whose answer has a secret, does not compile without `gives` (`actTypes.ts`).
 */
import { mainKey } from "@coffer/model/Holder"
import type { PersonRole } from "@coffer/model/PersonRole"
import type { Role } from "@coffer/model/Role"
import type { Scope } from "@coffer/model/Scopes"
import type { ActRequest, AnyRow, ConsoleAct, MerchantAct, NamesOf, OperatorAct, Secret, Table } from "./actTypes.ts"
import type { Api } from "./Api.ts"
import type { ConsoleApi } from "./Console.ts"
import type { OperatorApi } from "./Operator.ts"

// What an act gives -------------------------------------------------------------------

/** It signs requests that a merchant trusts to be ours. It grants no access, so it gives no right. */
const secret = (): Secret => ({ is: "secret" })
const keyOf = ({
  payload
}: {
  readonly payload: { readonly mode: "sandbox" | "live"; readonly scopes: ReadonlyArray<Scope> }
}) => ({ is: "key", mode: payload.mode, scopes: payload.scopes }) as const
const mainKeyOf = ({ params }: { readonly params: { readonly mode: "sandbox" | "live" } }) => mainKey(params.mode)
const personOf = ({ payload }: { readonly payload: { readonly role: PersonRole } }) =>
  ({ is: "person", role: payload.role }) as const

/** Whether it sets an IP allowlist, which may admit others who know the secret. */
const setsAddresses = (of: unknown) => typeof of === "object" && of !== null && "ip_allowlist" in of

// The merchant API --------------------------------------------------------------------

const reads = (scope: Scope): MerchantAct => ({ scope, state: "kept", isLogged: false, hidesWords: true })
const begins = (scope: Scope): MerchantAct => ({ scope, state: "new", isLogged: true, hidesWords: true })
/** A closed merchant still has to do it. */
const owed = (scope: Scope): MerchantAct => ({ scope, state: "kept", isLogged: true, hidesWords: true })
/** Its body contains no buyer data. */
const setsUp: MerchantAct = { ...begins("webhooks:write"), hidesWords: false }
const givesSecret = { gives: secret, fresh: "live" } as const

/** For a key with the scope, and a person whose role has it. */
export const merchantActs = {
  "orders.create": begins("orders:write"),
  "orders.update": begins("orders:write"),
  "orders.expire": begins("orders:write"),
  // The buyer has agreed to the amount already: whoever may ask for it may take it. Nobody gives money away by it.
  "orders.capture": begins("orders:write"),
  "orders.list": reads("orders:read"),
  "orders.get": reads("orders:read"),
  "timelines.get": reads("orders:read"),
  "receipts.sendReceipt": begins("orders:write"),
  "refunds.create": owed("refunds:write"),
  "refunds.update": owed("refunds:write"),
  "refunds.list": reads("refunds:read"),
  "refunds.get": reads("refunds:read"),
  "disputes.submitEvidence": owed("disputes:write"),
  "disputes.accept": owed("disputes:write"),
  "disputes.list": reads("disputes:read"),
  "disputes.get": reads("disputes:read"),
  "disputes.getEvidence": reads("disputes:read"),
  // A file is only used as evidence.
  "files.upload": owed("disputes:write"),
  "payment_links.create": begins("payment_links:write"),
  "payment_links.update": begins("payment_links:write"),
  "payment_links.list": reads("payment_links:read"),
  "payment_links.get": reads("payment_links:read"),
  "balance.get": reads("balance:read"),
  "balance.transactions": reads("balance:read"),
  "balance.chain": reads("balance:read"),
  "reports.create": { ...owed("reports:write"), hidesWords: false },
  "reports.list": reads("reports:read"),
  "reports.statement": reads("reports:read"),
  "reports.fees": reads("reports:read"),
  "reports.payout": reads("reports:read"),
  "reports.frozen": reads("reports:read"),
  "reports.get": reads("reports:read"),
  "reports.file": reads("reports:read"),
  "events.list": reads("events:read"),
  "events.get": reads("events:read"),
  "logs.list": reads("logs:read"),
  "erasures.create": owed("erasures:write"),
  "erasures.list": reads("erasures:read"),
  "erasures.get": reads("erasures:read"),
  // The log says who of the merchant has a buyer's data.
  "exports.buyer": { ...reads("exports:read"), isLogged: true },
  "webhook_endpoints.create": { ...setsUp, ...givesSecret },
  "webhook_endpoints.update": setsUp,
  "webhook_endpoints.delete": setsUp,
  "webhook_endpoints.rotateSecret": { ...setsUp, ...givesSecret },
  "webhook_endpoints.rotateSigningSecret": { ...setsUp, ...givesSecret },
  // They take from those who have an old secret.
  "webhook_endpoints.endPreviousSecrets": { ...setsUp, state: "protects" },
  "webhook_endpoints.endPreviousSigningSecrets": { ...setsUp, state: "protects" },
  "webhook_endpoints.list": reads("webhooks:read"),
  "webhook_endpoints.get": reads("webhooks:read"),
  // It shows a secret, which can sign webhooks.
  "webhook_endpoints.signingSecret": { ...setsUp, ...givesSecret },
  "webhook_deliveries.resend": setsUp,
  "webhook_deliveries.list": reads("webhooks:read"),
  "webhook_deliveries.get": reads("webhooks:read"),
  "test_helpers.pay": begins("test_helpers:write"),
  "test_helpers.authorize": begins("test_helpers:write"),
  "test_helpers.capture": begins("test_helpers:write"),
  "test_helpers.settleRefund": begins("test_helpers:write"),
  "test_helpers.dispute": begins("test_helpers:write"),
  "test_helpers.resolveDispute": begins("test_helpers:write"),
  "test_helpers.channel": begins("test_helpers:write"),
  "test_helpers.clock": reads("test_helpers:read"),
  "test_helpers.advanceClock": begins("test_helpers:write")
} as const satisfies Table<typeof Api, MerchantAct>

// The console -------------------------------------------------------------------------

const allRoles: ReadonlyArray<PersonRole> = ["developer", "support", "finance", "viewer"]
const looksAt: ConsoleAct = { by: allRoles, isLogged: false, state: "kept" }
/** For the owner, and these roles. */
const changedBy = (...by: ReadonlyArray<PersonRole>): ConsoleAct => ({ by, isLogged: true, state: "new" })
const byGuest: ConsoleAct = { by: "anybody", isLogged: false }
const byPerson: ConsoleAct = { by: "person", isLogged: false }

/** The sandbox's settings, and the live event URL: a developer may create live endpoints, too. */
const isDevelopers = (field: string) => field.startsWith("sandbox") || field === "live.default_notify_url"

export const consoleActs = {
  "sign_in.ask": byGuest,
  "sign_in.use": { ...byGuest, isLogged: true },
  "sign_in.askPasskey": byGuest,
  "sign_in.usePasskey": { ...byGuest, isLogged: true },
  "sign_in.askOpenId": byGuest,
  "sign_in.useOpenId": { ...byGuest, isLogged: true },
  "session.get": { ...byPerson, isOpen: true },
  "session.end": { ...byPerson, isOpen: true, isLogged: true },
  "session.list": byPerson,
  "session.endOther": { ...byPerson, isLogged: true },
  "session.endAll": { ...byPerson, isLogged: true },
  "passkeys.list": { ...byPerson, isOpen: true },
  "passkeys.ask": { ...byPerson, isOpen: true, fresh: "always" },
  "passkeys.register": { ...byPerson, isOpen: true, isLogged: true, fresh: "always" },
  "passkeys.rename": { ...byPerson, isLogged: true },
  "passkeys.remove": { ...byPerson, isLogged: true, fresh: "always" },
  "invitations.list": { ...byPerson, isOpen: true },
  // The inviter has given the role.
  "invitations.accept": { ...byPerson, isLogged: true, state: "new" },
  "invitations.decline": { ...byPerson, isLogged: true },
  "people.list": { ...looksAt, state: "protects" },
  "people.invite": { ...changedBy(), gives: personOf, fresh: "always" },
  "people.sendAgain": { ...changedBy(), gives: "its object", fresh: "always" },
  "people.setRole": { ...changedBy(), gives: personOf, fresh: "always" },
  // The owner of a suspended merchant cannot appoint other owners.
  "people.remove": { ...changedBy(), state: "kept" },
  "people.endSessions": { ...changedBy(), state: "protects" },
  // It gives no role: the person gets a link and keeps the earlier roles.
  "people.recover": { ...changedBy(), fresh: "always" },
  "api_keys.create": { ...changedBy("developer"), gives: keyOf, fresh: "live" },
  "api_keys.list": { ...looksAt, state: "protects" },
  // Another allowlist may admit others who have the secret.
  "api_keys.update": { ...changedBy("developer"), gives: "its object", fresh: "live" },
  "api_keys.roll": { ...changedBy("developer"), gives: "its object", fresh: "live" },
  "api_keys.endPrevious": { ...changedBy("developer"), state: "protects" },
  "api_keys.revoke": { ...changedBy("developer"), state: "protects" },
  // It stops the shop until its program has the new key.
  "main_keys.reset": { ...changedBy(), gives: mainKeyOf, fresh: "always" },
  "main_keys.get": looksAt,
  "main_keys.endPrevious": { ...changedBy(), state: "protects" },
  "settings.get": looksAt,
  "settings.update": {
    ...changedBy("developer"),
    fields: { developer: isDevelopers },
    hidesWords: true,
    gives: ({ payload }) => (setsAddresses(payload.live) ? mainKey("live") : undefined),
    fresh: "live"
  },
  "settings.checkDomain": changedBy("developer"),
  "audit_log.list": { ...looksAt, by: ["developer"] },
  "payouts.list": looksAt,
  "payouts.get": looksAt,
  "overview.get": looksAt,
  "search.find": looksAt,
  // A view only changes what its reader sees, may contain a buyer's address, and can be saved any number of times,
  // while the audit log is kept for ever.
  "saved_views.list": looksAt,
  "saved_views.create": looksAt,
  "saved_views.update": looksAt,
  "saved_views.remove": looksAt,
  // They change what the person gets, and nothing that others see.
  "notifications.list": looksAt,
  "notifications.markRead": looksAt,
  "notifications.getSettings": looksAt,
  "notifications.updateSettings": looksAt,
  "quotas.get": looksAt
} as const satisfies Table<typeof ConsoleApi, ConsoleAct>

// The operators' API ------------------------------------------------------------------

const looks: OperatorAct = { by: ["viewer", "support", "finance"], isLogged: false }
/** It shows a merchant's data. */
const sees: OperatorAct = { ...looks, isSeen: true }
/** For the admin, and these roles. */
const doneBy = (...by: ReadonlyArray<Role>): OperatorAct => ({ by, isLogged: true })
const always = () => true
const isLive = ({ mode }: ActRequest) => mode === "live"

export const operatorActs = {
  // Its live key works once the merchant is approved: `merchants.update` gives that.
  "merchants.create": { ...doneBy(), gives: () => mainKey("sandbox"), fresh: "always" },
  "merchants.list": looks,
  "merchants.get": looks,
  "merchants.update": {
    ...doneBy(),
    hidesWords: true,
    // Its live key works from then on, and may have been shown to one operator before `live_keys` was set.
    gives: ({ payload }) => (payload.approved === true || setsAddresses(payload.live) ? mainKey("live") : undefined),
    fresh: "live",
    ofTwo: {
      fees: (request) => ["fees", "dispute_fee", "payout_fee"].some((name) => request[name] !== undefined),
      approvals: ({ approved }) => approved === true,
      liveKeys: ({ approved, live }) => approved === true || setsAddresses(live)
    }
  },
  "merchants.suspend": doneBy("support"),
  "merchants.resume": doneBy("support"),
  // It is irreversible.
  "merchants.close": { ...doneBy(), ofTwo: { any: always } },
  "merchants.resetKey": { ...doneBy(), gives: mainKeyOf, fresh: "always", ofTwo: { liveKeys: isLive } },
  // With it anybody can sign requests that the merchant trusts to be ours.
  "merchants.signingSecret": { ...doneBy(), gives: secret, fresh: "always", ofTwo: { liveKeys: isLive } },
  "api_keys.create": { ...doneBy(), gives: keyOf, fresh: "always", ofTwo: { liveKeys: isLive } },
  "api_keys.list": looks,
  "api_keys.get": looks,
  "api_keys.update": {
    ...doneBy(),
    gives: ({ payload }) => (setsAddresses(payload) ? "its object" : undefined),
    fresh: "always",
    ofTwo: { liveKeys: (request) => isLive(request) && setsAddresses(request) }
  },
  "api_keys.roll": { ...doneBy(), gives: "its object", fresh: "always", ofTwo: { liveKeys: isLive } },
  "api_keys.revoke": doneBy("support"),
  // A deliberate crash, only on the embedded database.
  "cluster.kill": doneBy(),
  "cluster.drain": doneBy(),
  "channels.get": looks,
  "channels.set": { ...doneBy("finance"), ofTwo: { channels: always } },
  "reconciliation.list": looks,
  "reconciliation.get": looks,
  "reconciliation.begin": doneBy("finance"),
  "orders.list": sees,
  "orders.closePayment": doneBy("finance"),
  "timelines.get": sees,
  "files.upload": doneBy("support"),
  "payouts.create": doneBy("finance"),
  "payouts.list": looks,
  "payouts.get": looks,
  // Once the sum of what one operator approved alone is too high, which `SecondOperator` computes.
  "payouts.approve": { ...doneBy("finance"), ofTwo: { payoutsAbove: ({ status }) => status === "requested" } },
  "payouts.reject": doneBy("finance"),
  "payouts.complete": doneBy("finance"),
  "payouts.fail": doneBy("finance"),
  "webhook_deliveries.list": sees,
  "webhook_deliveries.get": sees,
  "webhook_deliveries.resend": doneBy("support"),
  // The first admin of an installation has no other operator to ask.
  "operators.create": {
    ...doneBy(),
    gives: ({ payload }) => ({ is: "operator", role: payload.role }),
    fresh: "always",
    ofTwo: { any: always }
  },
  "operators.list": { ...looks, by: [] },
  "operators.revoke": doneBy(),
  "people.list": { ...looks, by: [] },
  // A role of the installation makes an operator. A role of a merchant is as powerful as a live key with the role's
  // scopes; operators can already read what a viewer reads.
  "people.invite": {
    ...doneBy(),
    // The handler refuses roles of the other kind.
    gives: ({ payload: { merchant_id, role } }) =>
      merchant_id === undefined ? { is: "operator", role: role as Role } : { is: "person", role: role as PersonRole },
    fresh: "always",
    ofTwo: {
      any: ({ merchant_id }) => merchant_id === undefined,
      liveKeys: ({ merchant_id, role }) => merchant_id !== undefined && role !== "viewer"
    }
  },
  "people.remove": doneBy(),
  "people.endSessions": doneBy("support"),
  // They have no colleague who could reset it, and a single operator could admit any person.
  "people.recover": {
    ...doneBy(),
    fresh: "always",
    ofTwo: { always: ({ recovers }) => recovers !== "other" }
  },
  "approvals.list": looks,
  "audit_log.list": { ...looks, by: [] },
  "erasures.create": { ...doneBy(), hidesWords: true },
  "erasures.list": looks,
  "erasures.get": looks,
  "exports.buyer": { ...doneBy(), hidesWords: true },
  "exports.merchant": doneBy(),
  "cluster.get": looks,
  "doctor.get": looks,
  "held_up.list": looks,
  "stray_sessions.close": { ...doneBy("finance"), hidesWords: true },
  "lookup.overview": sees,
  "lookup.search": sees,
  "lookup.refunds": sees,
  "lookup.disputes": sees,
  "lookup.paymentLinks": sees,
  "lookup.balanceTransactions": sees,
  "lookup.events": sees,
  "lookup.webhookEndpoints": sees,
  "lookup.logs": sees
} as const satisfies Table<typeof OperatorApi, OperatorAct>

// Names -------------------------------------------------------------------------------

/** `orders.create`: the group and the name of an endpoint. `operationNames.ts` says how it is published. */
export type Operation = NamesOf<typeof Api>
export type ConsoleActName = NamesOf<typeof ConsoleApi>
export type OperatorActName = NamesOf<typeof OperatorApi>

/** Acts that may take two operators. */
export type ActOfTwo = {
  readonly [Name in OperatorActName]: (typeof operatorActs)[Name] extends { readonly ofTwo: object } ? Name : never
}[OperatorActName]

export const merchantAct = (name: Operation): AnyRow<MerchantAct> => merchantActs[name]
export const consoleAct = (name: ConsoleActName): AnyRow<ConsoleAct> => consoleActs[name]
export const operatorAct = (name: OperatorActName): AnyRow<OperatorAct> => operatorActs[name]
