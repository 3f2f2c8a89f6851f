/** Who may do an act of the table (`@coffer/contract/acts`), from which session, and with how many operators. Pure. */
import {
  consoleAct,
  type ConsoleActName,
  operatorAct,
  type OperatorActName,
  type ActOfTwo
} from "@coffer/contract/acts"
import type { ActRequest, Fresh, OfTwo } from "@coffer/contract/actTypes"
import type { Mode } from "@coffer/model/Ids"
import type { PersonRole } from "@coffer/model/PersonRole"
import type { Role } from "@coffer/model/Role"
import { needsTwo, type TwoOperators } from "@coffer/model/TwoOperators"

/** Whether this role may do it for its merchant. */
export const personMayDo = (role: PersonRole, act: ConsoleActName): boolean => {
  const { by } = consoleAct(act)
  return typeof by === "string" || role === "owner" || by.includes(role)
}

export const mayDo = (role: Role, act: OperatorActName): boolean =>
  role === "admin" || operatorAct(act).by.includes(role)

/** The intersection of two roles. A token may only do what both it and its people may. */
export const commonRole = (one: Role, other: Role): Role => {
  if (one === other || other === "admin") return one
  return one === "admin" ? other : "viewer"
}

/** Whether a recent sign-in is required. `mode`: the environment of the act, if known. */
export const isForFresh = (fresh: Fresh = "never", mode?: Mode): boolean =>
  fresh === "always" || (fresh === "live" && mode === "live")

/** Whether the installation wants two operators for this. */
export const takesTwo = (act: ActOfTwo, settings: TwoOperators, request: ActRequest): boolean => {
  const ofTwo: OfTwo = operatorAct(act).ofTwo ?? {}
  return Object.entries(ofTwo).some(
    ([word, concerns]) =>
      (word === "always" ||
        (word === "any" ? needsTwo(settings) : settings[word as keyof TwoOperators] !== undefined)) &&
      concerns(request)
  )
}

type Fields = Readonly<Record<string, unknown>>

/** `time_zone`, `sandbox`, `live.ip_allowlist`. */
const fieldsIn = ({ live, ...own }: Fields & { readonly live?: object | null | undefined }): ReadonlyArray<string> => [
  ...Object.keys(own).filter((name) => own[name] !== undefined),
  ...Object.keys(live ?? {}).map((name) => `live.${name}`)
]

/** The first field of a body that this role may not set; undefined if it may set all. */
export const forbiddenField = (act: ConsoleActName, role: PersonRole, body: Fields): string | undefined => {
  const { fields } = consoleAct(act)
  return fields === undefined || role === "owner"
    ? undefined
    : fieldsIn(body).find((field) => fields[role]?.(field) !== true)
}
