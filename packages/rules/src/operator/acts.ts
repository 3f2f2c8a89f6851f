/**
 * The acts of the operator's API, who may do each and how many it takes (docs/architecture.md, section 7), as a table:
 * each endpoint is an act. Tests hold it against the endpoints that there are, and try each as each role.
 */
import type { Role } from "@coffer/model/Role"
import { needsTwo, type TwoOperators } from "@coffer/model/TwoOperators"

/** The request for an act: its parameters, its body, or the object that it is done to. */
type ActRequest = Readonly<Record<string, unknown>>

/**
 * Words of `TWO_OPERATORS`, with what they are about in an act; `any`: where it has a word at all; `always`: anyhow.
 */
type OfTwo = Readonly<Partial<Record<keyof TwoOperators | "any" | "always", (request: ActRequest) => boolean>>>

interface Act {
  /** Beside the admin. */
  readonly roles: ReadonlyArray<Role>
  /** Whether the audit log has it: whatever changes something, or shows a secret. */
  readonly isLogged: boolean
  /** Shows what belongs to a merchant: the audit log has that an operator has read it, once an hour. */
  readonly isSeen?: true
  /** Its body may have words of people, which the audit log does not get: it is kept for ever. */
  readonly hidesWords?: true
  /**
   * A credential or a role that its answer is worth: a person of the installation needs a session that was opened a
   * short time ago.
   */
  readonly gives?: "key" | "role"
  /** When it takes two operators; otherwise one does it alone. */
  readonly ofTwo?: OfTwo
}

const everybody: ReadonlyArray<Role> = ["viewer", "support", "finance"]
const reading: Act = { roles: everybody, isLogged: false }
const looking: Act = { ...reading, isSeen: true }
const doneBy = (...roles: ReadonlyArray<Role>): Act => ({ roles, isLogged: true })
const always = () => true
const isLive = ({ mode }: ActRequest) => mode === "live"
/** Whether it sets addresses from which keys are taken. */
const setsAddresses = (of: unknown) => typeof of === "object" && of !== null && "ip_allowlist" in of

/** By the endpoint's group and name. */
export const acts = {
  "merchants.create": { ...doneBy(), gives: "key" },
  "merchants.list": reading,
  "merchants.get": reading,
  "merchants.update": {
    ...doneBy(),
    hidesWords: true,
    ofTwo: {
      fees: (request) => ["fees", "dispute_fee", "payout_fee"].some((name) => request[name] !== undefined),
      approvals: ({ approved }) => approved === true,
      // Its live key works from then on, and may have been shown to one operator before this was set.
      liveKeys: ({ approved, live }) => approved === true || setsAddresses(live)
    }
  },
  "merchants.suspend": doneBy("support"),
  "merchants.resume": doneBy("support"),
  // It cannot be taken back.
  "merchants.close": { ...doneBy(), ofTwo: { any: always } },
  "merchants.resetKey": { ...doneBy(), gives: "key", ofTwo: { liveKeys: isLive } },
  // With it anybody can sign what the merchant takes for ours.
  "merchants.signingSecret": { ...doneBy(), gives: "key", ofTwo: { liveKeys: isLive } },
  "api_keys.create": { ...doneBy(), gives: "key", ofTwo: { liveKeys: isLive } },
  "api_keys.list": reading,
  "api_keys.get": reading,
  "api_keys.update": {
    ...doneBy(),
    gives: "key",
    ofTwo: { liveKeys: (request) => isLive(request) && setsAddresses(request) }
  },
  "api_keys.roll": { ...doneBy(), gives: "key", ofTwo: { liveKeys: isLive } },
  "api_keys.revoke": doneBy("support"),
  // A crash on purpose, on the embedded database alone.
  "cluster.kill": doneBy(),
  "channels.get": reading,
  "channels.set": { ...doneBy("finance"), ofTwo: { channels: always } },
  "reconciliation.list": reading,
  "reconciliation.get": reading,
  "reconciliation.begin": doneBy("finance"),
  "orders.list": looking,
  "orders.closePayment": doneBy("finance"),
  "timelines.get": looking,
  "files.upload": doneBy("support"),
  "payouts.create": doneBy("finance"),
  "payouts.list": reading,
  "payouts.get": reading,
  // Once it makes too much with what one operator approved alone: `SecondOperator` counts that.
  "payouts.approve": { ...doneBy("finance"), ofTwo: { payoutsAbove: ({ status }) => status === "requested" } },
  "payouts.reject": doneBy("finance"),
  "payouts.complete": doneBy("finance"),
  "payouts.fail": doneBy("finance"),
  "webhook_deliveries.list": looking,
  "webhook_deliveries.get": looking,
  "webhook_deliveries.resend": doneBy("support"),
  // The first admin of an installation has no other operator to ask.
  "operators.create": { ...doneBy(), gives: "role", ofTwo: { any: always } },
  "operators.list": { roles: [], isLogged: false },
  "operators.revoke": doneBy(),
  "people.list": { roles: [], isLogged: false },
  // A role of the installation is an operator's. One of a merchant is as good as a live key with the scopes of the
  // role, and operators read by themselves what a viewer reads.
  "people.invite": {
    ...doneBy(),
    gives: "role",
    ofTwo: {
      any: ({ merchant_id }) => merchant_id === undefined,
      liveKeys: ({ merchant_id, role }) => merchant_id !== undefined && role !== "viewer"
    }
  },
  "people.remove": doneBy(),
  "people.endSessions": doneBy("support"),
  // They have no colleague who could do it, and a single operator could admit any person.
  "people.recover": { ...doneBy(), gives: "role", ofTwo: { always: ({ recovers }) => recovers !== "other" } },
  "approvals.list": reading,
  "audit_log.list": { roles: [], isLogged: false },
  "erasures.create": { ...doneBy(), hidesWords: true },
  "erasures.list": reading,
  "erasures.get": reading,
  "exports.buyer": { ...doneBy(), hidesWords: true },
  "exports.merchant": doneBy(),
  "cluster.get": reading,
  "doctor.get": reading,
  "held_up.list": reading,
  "stray_sessions.close": { ...doneBy("finance"), hidesWords: true },
  "lookup.overview": looking,
  "lookup.search": looking,
  "lookup.refunds": looking,
  "lookup.disputes": looking,
  "lookup.paymentLinks": looking,
  "lookup.balanceTransactions": looking,
  "lookup.events": looking,
  "lookup.webhookEndpoints": looking,
  "lookup.logs": looking
} as const satisfies Record<string, Act>
export type ActName = keyof typeof acts

export const ofTwo = (act: ActName): OfTwo => (acts[act] as Act).ofTwo ?? {}

/** Whether the installation wants two operators for this. */
export const takesTwo = (act: ActName, settings: TwoOperators, request: ActRequest): boolean =>
  Object.entries(ofTwo(act)).some(
    ([word, concerns]) =>
      (word === "always" ||
        (word === "any" ? needsTwo(settings) : settings[word as keyof TwoOperators] !== undefined)) &&
      concerns(request)
  )

export const hidesWords = (act: ActName): boolean => (acts[act] as Act).hidesWords === true

export const isSeen = (act: ActName): boolean => (acts[act] as Act).isSeen === true

/** Whether a person does it only for a short time after signing in. */
export const isOfFresh = (act: ActName): boolean => (acts[act] as Act).gives !== undefined

export const actOf = (group: string, endpoint: string): ActName => `${group}.${endpoint}` as ActName

export const mayDo = (role: Role, act: ActName): boolean =>
  role === "admin" || (acts[act].roles as ReadonlyArray<Role>).includes(role)

/** Rights that both roles have. A token may do what it may, and what its people may. */
export const commonRole = (one: Role, other: Role): Role => {
  if (one === other || other === "admin") return one
  return one === "admin" ? other : "viewer"
}
