/**
 * The rights of a person or a key, and whether they may be given to another: no one gives more than they have. A test
 * walks through sequences of acts at the three doors (the console, the operators' API, keys) and looks for a right that
 * the first hand did not have. Pure.
 */
import { Mode } from "@coffer/model/Ids"
import type { PersonRole } from "@coffer/model/PersonRole"
import type { Role } from "@coffer/model/Role"
import { covers, isOfSandbox, Scope } from "@coffer/model/Scopes"
import { type ConsoleActName, consoleActs, ofWhom, personMayDo } from "./consoleActs.ts"
import { scopesOfRole } from "./roleScopes.ts"

/** A main key has all scopes of its environment. */
export interface Key {
  readonly is: "key"
  readonly mode: Mode
  readonly scopes: ReadonlyArray<string>
}

/** A person of a merchant. */
export interface Person {
  readonly is: "person"
  readonly role: PersonRole
}

export type Holder = Key | Person | { readonly is: "operator"; readonly role: Role }

/** Acts in the console that are about the merchant, and that the role may do. */
const actsOf = (role: PersonRole): ReadonlyArray<string> =>
  (Object.keys(consoleActs) as ReadonlyArray<ConsoleActName>)
    .filter((act) => typeof ofWhom(act) !== "string" && personMayDo(role, act))
    .map((act) => `console ${act}`)

const inMode = (mode: Mode, held: ReadonlyArray<string>): ReadonlyArray<string> =>
  Scope.literals
    .filter((scope) => covers(held, scope) && !(mode === "live" && isOfSandbox(scope)))
    .map((scope) => `${mode} ${scope}`)

/** Rights at a merchant: `live refunds:write`, `console people.invite`. */
export const rightsOf = (holder: Key | Person): ReadonlyArray<string> =>
  holder.is === "key"
    ? inMode(holder.mode, holder.scopes)
    : [...Mode.literals.flatMap((mode) => inMode(mode, scopesOfRole(holder.role, mode))), ...actsOf(holder.role)]

/** Rights that are given and that the giver does not have; empty where it may be given. */
export const lacking = (giver: Key | Person, gift: Key | Person): ReadonlyArray<string> => {
  const held = rightsOf(giver)
  return rightsOf(gift).filter((right) => !held.includes(right))
}

/** Whether a person gives it only for a short time after signing in. Keys of the sandbox are made and lost all day. */
export const isGivenFresh = (gift: Key | Person): boolean => gift.is === "person" || gift.mode === "live"

/** Operations of `/v1` whose answers have a secret: what a person is shown of live ones asks for a fresh session. */
const showing: ReadonlyArray<string> = ["create", "rotateSecret", "signingSecret", "rotateSigningSecret"].map(
  (name) => `webhook_endpoints.${name}`
)

export const isShownFresh = (operation: string, mode: Mode): boolean => mode === "live" && showing.includes(operation)
