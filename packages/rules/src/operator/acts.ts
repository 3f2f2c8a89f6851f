/**
 * Who may do what with the operator's API (docs/architecture.md, section 7), as a table: each endpoint is an act. Tests
 * hold it against the endpoints that there are, and try each as each role.
 */
import type { Role } from "@coffer/model/Role"

interface Act {
  /** Beside the admin. */
  readonly roles: ReadonlyArray<Role>
  /** Whether the audit log has it: whatever changes something, or shows a secret. */
  readonly isLogged: boolean
}

const everybody: ReadonlyArray<Role> = ["viewer", "support", "finance"]
const reading: Act = { roles: everybody, isLogged: false }
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
  "orders.list": reading,
  "orders.closePayment": doneBy("finance"),
  "timelines.retrieve": reading,
  "files.upload": doneBy("support"),
  "payouts.create": doneBy("finance"),
  "payouts.list": reading,
  "payouts.retrieve": reading,
  "payouts.approve": doneBy("finance"),
  "payouts.reject": doneBy("finance"),
  "payouts.complete": doneBy("finance"),
  "payouts.fail": doneBy("finance"),
  "webhook_deliveries.list": reading,
  "webhook_deliveries.retrieve": reading,
  "webhook_deliveries.resend": doneBy("support"),
  "operators.create": doneBy(),
  "operators.list": { roles: [], isLogged: false },
  "operators.revoke": doneBy(),
  "audit_log.list": { roles: [], isLogged: false },
  "cluster.retrieve": reading,
  "held_up.list": reading
} as const satisfies Record<string, Act>
export type ActName = keyof typeof acts

export const actOf = (group: string, endpoint: string): ActName => `${group}.${endpoint}` as ActName

export const mayDo = (role: Role, act: ActName): boolean =>
  role === "admin" || (acts[act].roles as ReadonlyArray<Role>).includes(role)
