/**
 * The rights of a key, a person or an operator, and whether they may be given to another: no one gives more than they
 * have. What an act gives is in its row of the table. A test walks through sequences of acts at the three doors
 * (the console, the operators' API, keys) and looks for a right that the first holder did not have. Pure.
 */
import { consoleAct, type ConsoleActName, consoleActs, operatorActs, type OperatorActName } from "@coffer/contract/acts"
import type { Gift, Gives, GiftSource } from "@coffer/contract/actTypes"
import type { Key, Person } from "@coffer/model/Holder"
import { Mode } from "@coffer/model/Ids"
import type { PersonRole } from "@coffer/model/PersonRole"
import type { Role } from "@coffer/model/Role"
import { covers, isOfSandbox, Scope } from "@coffer/model/Scopes"
import { mayDo, personMayDo } from "./mayDo.ts"
import { scopesOfRole } from "./roleScopes.ts"

/** The console's acts for the merchant that the role may do. */
const actsOf = (role: PersonRole): ReadonlyArray<string> =>
  (Object.keys(consoleActs) as ReadonlyArray<ConsoleActName>)
    .filter((act) => typeof consoleAct(act).by !== "string" && personMayDo(role, act))
    .map((act) => `console ${act}`)

const actsOfOperator = (role: Role): ReadonlyArray<string> =>
  (Object.keys(operatorActs) as ReadonlyArray<OperatorActName>)
    .filter((act) => mayDo(role, act))
    .map((act) => `operator ${act}`)

const inMode = (mode: Mode, held: ReadonlyArray<string>): ReadonlyArray<string> =>
  Scope.literals
    .filter((scope) => covers(held, scope) && !(mode === "live" && isOfSandbox(scope)))
    .map((scope) => `${mode} ${scope}`)

/** `live refunds:write`, `console people.invite`, `operator payouts.approve`. A signing secret grants no access. */
export const rightsOf = (holder: Gift): ReadonlyArray<string> => {
  switch (holder.is) {
    case "key":
      return inMode(holder.mode, holder.scopes)
    case "person":
      return [...Mode.literals.flatMap((mode) => inMode(mode, scopesOfRole(holder.role, mode))), ...actsOf(holder.role)]
    case "operator":
      return actsOfOperator(holder.role)
    case "secret":
      return []
  }
}

/** The given rights that the giver lacks; empty if they may be given. */
export const lacking = (giver: Key | Person, gift: Gift): ReadonlyArray<string> => {
  const held = rightsOf(giver)
  return rightsOf(gift).filter((right) => !held.includes(right))
}

/** What an act gives by this request. */
export const givenBy = (gives: Gives<never>, request: object): GiftSource =>
  typeof gives === "function" ? gives(request as never) : gives
