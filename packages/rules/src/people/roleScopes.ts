/**
 * The scopes of a person of a merchant, by role and environment: a page of the console calls the operations of `/v1` as
 * a key with these scopes would (silences: U26). A test holds the table against each operation.
 */
import type { Mode } from "@coffer/model/Ids"
import type { PersonRole } from "@coffer/model/PersonRole"
import { Scope } from "@coffer/model/Scopes"

const all = Scope.literals
const reads = all.filter((scope) => scope.endsWith(":read"))
/** All that there is about a buyer, in one file. */
const readsOfViewer = reads.filter((scope) => scope !== "exports:read")
/** An erasure cannot be taken back. */
const allButErasures = all.filter((scope) => scope !== "erasures:write")

interface RoleScopes {
  readonly sandbox: ReadonlyArray<Scope>
  readonly live: ReadonlyArray<Scope>
}

const ofRole: Readonly<Record<PersonRole, RoleScopes>> = {
  owner: { sandbox: all, live: all },
  // The integration is tested in the sandbox; others move live money.
  developer: { sandbox: all, live: [...reads, "orders:write", "payment_links:write", "webhooks:write"] },
  support: {
    sandbox: allButErasures,
    live: [...reads, "orders:write", "refunds:write", "disputes:write", "payment_links:write"]
  },
  finance: { sandbox: allButErasures, live: [...reads, "refunds:write", "disputes:write", "reports:write"] },
  viewer: { sandbox: readsOfViewer, live: readsOfViewer }
}

export const scopesOfRole = (role: PersonRole, mode: Mode): ReadonlyArray<Scope> => ofRole[role][mode]

/**
 * Whether a person may use bulk actions that move money. With live money only the responsible roles may; support
 * refunds one payment at a time.
 */
export const mayMoveMany = (role: PersonRole, mode: Mode): boolean =>
  mode === "sandbox" || role === "owner" || role === "finance"
