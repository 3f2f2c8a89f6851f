/** A holder of rights: a merchant's key, a merchant's person, or an operator. */
import type { Mode } from "./Ids.ts"
import type { PersonRole } from "./PersonRole.ts"
import type { Role } from "./Role.ts"
import { Scope } from "./Scopes.ts"

export interface Key {
  readonly is: "key"
  readonly mode: Mode
  readonly scopes: ReadonlyArray<string>
}

export interface Person {
  readonly is: "person"
  readonly role: PersonRole
}

export interface Operator {
  readonly is: "operator"
  readonly role: Role
}

export type Holder = Key | Person | Operator

/** A main key has all scopes of its environment. */
export const mainKey = (mode: Mode): Key => ({ is: "key", mode, scopes: Scope.literals })
