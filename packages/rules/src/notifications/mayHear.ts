/**
 * Whether a person of a merchant may be notified of an occasion, by the right to read its object; and whether by mail.
 * Both are decided when a notification is shown or sent. Pure.
 */
import { type ConsoleActName, merchantAct, merchantActs, type Operation } from "@coffer/contract/acts"
import type { Mode } from "@coffer/model/Ids"
import { isMailedTo, type Occasion, type occasions, occasionNames, occasionOf } from "@coffer/model/Occasion"
import type { PersonRole } from "@coffer/model/PersonRole"
import { covers } from "@coffer/model/Scopes"
import { personMayDo } from "../people/mayDo.ts"
import { scopesOfRole } from "../people/roleScopes.ts"

type Reads = (typeof occasions)[Occasion]["reads"]
/** An act that the table does not have does not compile. */
const isOfMerchantApi = (act: Reads & (Operation | ConsoleActName)): act is Reads & Operation => act in merchantActs

export const mayHear = (role: PersonRole, mode: Mode, occasion: Occasion): boolean => {
  const act = occasionOf(occasion).reads as Reads
  return isOfMerchantApi(act) ? covers(scopesOfRole(role, mode), merchantAct(act).scope) : personMayDo(role, act)
}

export const heardBy = (role: PersonRole, mode: Mode): ReadonlyArray<Occasion> =>
  occasionNames.filter((occasion) => mayHear(role, mode, occasion))

/** What a person has switched: mails of these occasions are on or off. */
export type Switches = Readonly<Partial<Record<Occasion, boolean>>>

/** The sandbox sends no mails. */
export const isMailWanted = (role: PersonRole, mode: Mode, occasion: Occasion, switches: Switches): boolean =>
  mode === "live" && mayHear(role, mode, occasion) && (switches[occasion] ?? isMailedTo(role, occasion))
