/**
 * The acts of a person in the console, as a table: each endpoint of `/console/api` is an act. Tests hold it against the
 * endpoints that there are, and try each as each role.
 */
import type { PersonRole } from "@coffer/model/PersonRole"
import type { Kind } from "../operator/standing.ts"

interface ConsoleAct {
  /**
   * `anybody`: without a session. `person`: about the person who is signed in. Otherwise the roles that may do it for
   * the merchant that the path names, beside the owner.
   */
  readonly of: "anybody" | "person" | ReadonlyArray<PersonRole>
  /** Whether the audit log has it. */
  readonly isLogged: boolean
  /** Whether a session may do it that has to get a passkey first. */
  readonly isOpen?: true
  /** Whether it needs a session that was opened a short time ago. Giving a role needs one anyhow. */
  readonly isFresh?: true
  /** A credential or a role that it gives: `rights.ts` compares it with what the person has. */
  readonly gives?: "key" | "role"
  /** Its body may have words of people, which the audit log does not get: it is kept for ever. */
  readonly hidesWords?: true
  /** For a suspended or closed merchant. By default what only reads is kept, and all else is new. */
  readonly kind?: Kind
}

const ofPerson: ConsoleAct = { of: "person", isLogged: false }
const allRoles: ReadonlyArray<PersonRole> = ["developer", "support", "finance", "viewer"]
const reading: ConsoleAct = { of: allRoles, isLogged: false }
const openToAll: ConsoleAct = { ...ofPerson, isOpen: true }

/** By the endpoint's group and name. */
export const consoleActs = {
  "sign_in.ask": { of: "anybody", isLogged: false },
  "sign_in.use": { of: "anybody", isLogged: true },
  "sign_in.askPasskey": { of: "anybody", isLogged: false },
  "sign_in.usePasskey": { of: "anybody", isLogged: true },
  "sign_in.askOpenId": { of: "anybody", isLogged: false },
  "sign_in.useOpenId": { of: "anybody", isLogged: true },
  "session.get": openToAll,
  "session.end": { ...openToAll, isLogged: true },
  "session.list": ofPerson,
  "session.endOther": { ...ofPerson, isLogged: true },
  "session.endAll": { ...ofPerson, isLogged: true },
  "passkeys.list": openToAll,
  "passkeys.ask": { ...openToAll, isFresh: true },
  "passkeys.register": { ...openToAll, isLogged: true, isFresh: true },
  "passkeys.rename": { ...ofPerson, isLogged: true },
  "passkeys.remove": { ...ofPerson, isLogged: true, isFresh: true },
  "invitations.list": openToAll,
  "invitations.accept": { ...ofPerson, isLogged: true },
  "invitations.decline": { ...ofPerson, isLogged: true },
  "people.list": { ...reading, kind: "protects" },
  "people.invite": { of: [], isLogged: true, gives: "role" },
  "people.sendAgain": { of: [], isLogged: true, gives: "role" },
  "people.setRole": { of: [], isLogged: true, gives: "role" },
  // The owner of a suspended merchant does not choose who else is one.
  "people.remove": { of: [], isLogged: true, kind: "kept" },
  "people.endSessions": { of: [], isLogged: true, kind: "protects" },
  "people.recover": { of: [], isLogged: true, isFresh: true },
  "api_keys.create": { of: ["developer"], isLogged: true, gives: "key" },
  "api_keys.list": { ...reading, kind: "protects" },
  // Another allowlist lets in others who have the secret.
  "api_keys.update": { of: ["developer"], isLogged: true, gives: "key" },
  "api_keys.roll": { of: ["developer"], isLogged: true, gives: "key" },
  "api_keys.revoke": { of: ["developer"], isLogged: true, kind: "protects" },
  // It stops the shop until its program has the new one.
  "main_keys.reset": { of: [], isLogged: true, isFresh: true, gives: "key" },
  "settings.get": reading,
  // `settingsProblem` says which of them a developer may change.
  "settings.update": { of: ["developer"], isLogged: true, hidesWords: true },
  "settings.checkDomain": { of: ["developer"], isLogged: true },
  "audit_log.list": { of: ["developer"], isLogged: false },
  "payouts.list": reading,
  "payouts.get": reading,
  "overview.get": reading,
  // A view changes nothing but what its reader looks at, may hold a buyer's address, and is written as often as its
  // reader likes: the audit log is kept for ever.
  "saved_views.list": reading,
  "saved_views.create": reading,
  "saved_views.update": reading,
  "saved_views.remove": reading,
  "quotas.get": reading
} as const satisfies Record<string, ConsoleAct>
export type ConsoleActName = keyof typeof consoleActs

export const consoleActOf = (group: string, endpoint: string): ConsoleActName =>
  `${group}.${endpoint}` as ConsoleActName

export const ofWhom = (act: ConsoleActName): ConsoleAct["of"] => consoleActs[act].of

export const isOpen = (act: ConsoleActName): boolean => (consoleActs[act] as ConsoleAct).isOpen === true
export const givenBy = (act: ConsoleActName): ConsoleAct["gives"] => (consoleActs[act] as ConsoleAct).gives
export const hidesWordsOf = (act: ConsoleActName): boolean => (consoleActs[act] as ConsoleAct).hidesWords === true
/** A live key needs it as well, of which the handler alone knows (`rights.ts`). */
export const isFresh = (act: ConsoleActName): boolean =>
  (consoleActs[act] as ConsoleAct).isFresh === true || givenBy(act) === "role"

/** For a suspended or closed merchant. */
export const kindOfAct = (act: ConsoleActName): Kind =>
  (consoleActs[act] as ConsoleAct).kind ?? (consoleActs[act].isLogged ? "new" : "kept")

/** Whether this role may do it for its merchant. */
export const personMayDo = (role: PersonRole, act: ConsoleActName): boolean => {
  const of = ofWhom(act)
  return typeof of === "string" || role === "owner" || of.includes(role)
}
