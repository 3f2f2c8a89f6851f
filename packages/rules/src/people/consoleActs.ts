/**
 * The acts of a person in the console, as a table: each endpoint of `/console/api` is an act. Tests hold it against the
 * endpoints that there are, and try each as each role.
 */
import type { PersonRole } from "@coffer/model/PersonRole"

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
  /** Whether it needs a session that was opened a short time ago. */
  readonly isFresh?: true
  /** Fields of its body that the audit log does not get. */
  readonly hides?: ReadonlyArray<string>
}

const ofPerson: ConsoleAct = { of: "person", isLogged: false }
const allRoles: ReadonlyArray<PersonRole> = ["developer", "support", "finance", "viewer"]
const reading: ConsoleAct = { of: allRoles, isLogged: false }
const byAll: ConsoleAct = { of: allRoles, isLogged: true }
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
  "people.list": { of: ["developer", "support", "finance", "viewer"], isLogged: false },
  "people.invite": { of: [], isLogged: true },
  "people.setRole": { of: [], isLogged: true },
  "people.remove": { of: [], isLogged: true },
  "people.endSessions": { of: [], isLogged: true },
  "people.recover": { of: [], isLogged: true, isFresh: true },
  "api_keys.create": { of: ["developer"], isLogged: true },
  "api_keys.list": { of: ["developer", "support", "finance", "viewer"], isLogged: false },
  "api_keys.update": { of: ["developer"], isLogged: true },
  "api_keys.roll": { of: ["developer"], isLogged: true },
  "api_keys.revoke": { of: ["developer"], isLogged: true },
  // It stops the shop until its program has the new one.
  "main_keys.reset": { of: [], isLogged: true, isFresh: true },
  "settings.get": reading,
  // `settingsProblem` says which of them a developer may change.
  "settings.update": { of: ["developer"], isLogged: true },
  "settings.checkDomain": { of: ["developer"], isLogged: true },
  "audit_log.list": { of: ["developer"], isLogged: false },
  "payouts.list": reading,
  "payouts.get": reading,
  "overview.get": reading,
  // A view's query may hold a buyer's address, and the audit log is kept for ever.
  "saved_views.list": reading,
  "saved_views.create": { ...byAll, hides: ["query"] },
  "saved_views.update": { ...byAll, hides: ["query"] },
  "saved_views.remove": byAll,
  "quotas.get": reading
} as const satisfies Record<string, ConsoleAct>
export type ConsoleActName = keyof typeof consoleActs

export const consoleActOf = (group: string, endpoint: string): ConsoleActName =>
  `${group}.${endpoint}` as ConsoleActName

export const ofWhom = (act: ConsoleActName): ConsoleAct["of"] => consoleActs[act].of

export const isOpen = (act: ConsoleActName): boolean => (consoleActs[act] as ConsoleAct).isOpen === true
export const isFresh = (act: ConsoleActName): boolean => (consoleActs[act] as ConsoleAct).isFresh === true

export const hiddenFrom = (act: ConsoleActName): ReadonlyArray<string> => (consoleActs[act] as ConsoleAct).hides ?? []

/** Whether people of a closed merchant may still do it for some time: they read, and take rights away. */
export const isOfClosed = (act: ConsoleActName): boolean =>
  !consoleActs[act].isLogged || act === "people.remove" || act === "people.endSessions" || act === "api_keys.revoke"

/** Whether this role may do it for its merchant. */
export const personMayDo = (role: PersonRole, act: ConsoleActName): boolean => {
  const of = ofWhom(act)
  return typeof of === "string" || role === "owner" || of.includes(role)
}
