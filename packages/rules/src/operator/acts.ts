/**
 * Who may do what with the operator's API (docs/architecture.md, section 7), as a table: each endpoint is an act. Tests
 * hold it against the endpoints that there are, and try each as each role.
 */
import type { Role } from "@coffer/model/Role"
import type { TwoOperators } from "@coffer/model/TwoOperators"

interface Act {
  /** Beside the admin. */
  readonly roles: ReadonlyArray<Role>
  /** Whether the audit log has it: whatever changes something, or shows a secret. */
  readonly isLogged: boolean
  /** Shows what belongs to a merchant: the audit log has that an operator has read it, once an hour. */
  readonly isSeen?: true
}

/** Acts that take two operators where `TWO_OPERATORS` has the word; `any`: where it has one at all. */
export const actsOfTwo: Readonly<Partial<Record<ActName, ReadonlyArray<keyof TwoOperators | "any">>>> = {
  "merchants.update": ["fees", "approvals"],
  "merchants.resetKey": ["liveKeys"],
  "channels.set": ["channels"],
  "payouts.approve": ["payoutsAbove"],
  "operators.create": ["any"]
}

const everybody: ReadonlyArray<Role> = ["viewer", "support", "finance"]
const reading: Act = { roles: everybody, isLogged: false }
const looking: Act = { ...reading, isSeen: true }
const doneBy = (...roles: ReadonlyArray<Role>): Act => ({ roles, isLogged: true })

/** By the endpoint's group and name. */
export const acts = {
  "merchants.create": doneBy(),
  "merchants.list": reading,
  "merchants.retrieve": reading,
  "merchants.update": doneBy(),
  "merchants.suspend": doneBy("support"),
  "merchants.resume": doneBy("support"),
  "merchants.resetKey": doneBy(),
  "merchants.signingSecret": doneBy(),
  "channels.retrieve": reading,
  "channels.set": doneBy("finance"),
  "reconciliation.list": reading,
  "reconciliation.retrieve": reading,
  "reconciliation.begin": doneBy("finance"),
  "orders.list": looking,
  "orders.closePayment": doneBy("finance"),
  "timelines.retrieve": looking,
  "files.upload": doneBy("support"),
  "payouts.create": doneBy("finance"),
  "payouts.list": reading,
  "payouts.retrieve": reading,
  "payouts.approve": doneBy("finance"),
  "payouts.reject": doneBy("finance"),
  "payouts.complete": doneBy("finance"),
  "payouts.fail": doneBy("finance"),
  "webhook_deliveries.list": looking,
  "webhook_deliveries.retrieve": looking,
  "webhook_deliveries.resend": doneBy("support"),
  "operators.create": doneBy(),
  "operators.list": { roles: [], isLogged: false },
  "operators.revoke": doneBy(),
  "audit_log.list": { roles: [], isLogged: false },
  "cluster.retrieve": reading,
  "held_up.list": reading,
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

export const isSeen = (act: ActName): boolean => (acts[act] as Act).isSeen === true

export const actOf = (group: string, endpoint: string): ActName => `${group}.${endpoint}` as ActName

export const mayDo = (role: Role, act: ActName): boolean =>
  role === "admin" || (acts[act].roles as ReadonlyArray<Role>).includes(role)
