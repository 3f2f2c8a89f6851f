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
}

const ofPerson: ConsoleAct = { of: "person", isLogged: false }

/** By the endpoint's group and name. */
export const consoleActs = {
  "sign_in.ask": { of: "anybody", isLogged: false },
  "sign_in.use": { of: "anybody", isLogged: true },
  "session.retrieve": ofPerson,
  "session.end": { ...ofPerson, isLogged: true },
  "session.list": ofPerson,
  "session.endOther": { ...ofPerson, isLogged: true },
  "session.endAll": { ...ofPerson, isLogged: true },
  "people.list": { of: ["developer", "support", "finance", "viewer"], isLogged: false },
  "people.invite": { of: [], isLogged: true },
  "people.setRole": { of: [], isLogged: true },
  "people.remove": { of: [], isLogged: true },
  "people.endSessions": { of: [], isLogged: true }
} as const satisfies Record<string, ConsoleAct>
export type ConsoleActName = keyof typeof consoleActs

export const consoleActOf = (group: string, endpoint: string): ConsoleActName =>
  `${group}.${endpoint}` as ConsoleActName

export const ofWhom = (act: ConsoleActName): ConsoleAct["of"] => consoleActs[act].of

/** Whether this role may do it for its merchant. */
export const personMayDo = (role: PersonRole, act: ConsoleActName): boolean => {
  const of = ofWhom(act)
  return typeof of === "string" || role === "owner" || of.includes(role)
}
