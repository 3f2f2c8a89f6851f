/**
 * Calls with a number but without a row. A list of the same merchant's calls ends before them, since each will be
 * written after newer ones (docs/decisions/0050).
 */
import { firstIdBody, bodyOf } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { belongsTo } from "@coffer/model/Account"
import { realMillis } from "../../platform/runtime/realTime.ts"
import { RenewedMap } from "../../platform/runtime/renewed.ts"

/** Number and account are known shortly after the call has begun. */
export interface OpenCall {
  readonly requestId: string
  readonly account: Account | undefined
}

/**
 * For this long a call whose key is not checked yet may belong to any account. A visit to a page never has an account.
 */
const anybodysMillis = 1_000
/** Calls of other runners are written after this long at the latest: the longest request, plus the queue. */
export const elsewhereMillis = 12_000

export const makeOpenCalls = () => {
  const open = new RenewedMap<OpenCall, number>()
  return {
    begun: (call: OpenCall) => void open.set(call, realMillis()),
    ended: (call: OpenCall) => void open.delete(call),
    /** `now`: by the owner's clock, where other runners may have calls too. */
    lowestOf: (account: Account, now: number | undefined): string | undefined => {
      const anybodys = realMillis() - anybodysMillis
      let lowest = now === undefined ? undefined : firstIdBody(now - elsewhereMillis)
      for (const [call, since] of open) {
        if (call.account === undefined ? since < anybodys : !belongsTo(account, call.account)) continue
        const body = bodyOf(call.requestId)
        if (lowest === undefined || body < lowest) lowest = body
      }
      return lowest
    }
  }
}

export type OpenCalls = ReturnType<typeof makeOpenCalls>
