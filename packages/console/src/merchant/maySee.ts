/** Whether a role sees what a page reads: an operation of `/v1` by its scope, one of the console by its row. */
import { type ConsoleActName, merchantAct, merchantActs, type Operation } from "@coffer/contract/acts"
import { personMayDo } from "@coffer/rules/people/mayDo"
import type { InAccount } from "../api/session.ts"

export type MerchantRead = Operation | ConsoleActName

const isOperation = (act: MerchantRead): act is Operation => Object.hasOwn(merchantActs, act)

export const maySee = ({ may, role }: Pick<InAccount, "may" | "role">, act: MerchantRead): boolean =>
  isOperation(act) ? may(merchantAct(act).scope) : personMayDo(role, act)
