/**
 * Calls that have their number and no row yet. A list of the same merchant's calls ends below them, since each will be
 * written behind what is newer (docs/decisions/0050).
 */
import { firstIdBody, bodyOf } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { belongsTo } from "@coffer/model/Account"
import { realMillis } from "../platform/runtime/realTime.ts"

/** Its number and its account are known a little after it has begun. */
export interface OpenCall {
  readonly requestId: string
  readonly account: Account | undefined
}

/** A call whose key is not read yet may be anybody's for so long. A visit to a page never has an account. */
const anybodysMillis = 1_000
/** Calls of other runners are written after so long at the latest: what a request may take, and the queue. */
export const elsewhereMillis = 12_000

/**
 * Calls that are at work are few, and a call that is answered is known by its number and account alone. A table of all
 * of them together would live so long that V8 keeps each request that it held when it was replaced by a larger or a
 * fresh one, with all that the request holds, until the next whole collection (docs/decisions/0210).
 */
export const makeOpenCalls = () => {
  const working = new Map<OpenCall, number>()
  const waiting = new Set<OpenCall>()

  const isOf = ({ account: theirs }: OpenCall, account: Account) => theirs !== undefined && belongsTo(account)(theirs)

  return {
    begun: (call: OpenCall) => void working.set(call, realMillis()),
    /** It is answered and waits for its row. Returns what is to be ended then. */
    answered: (call: OpenCall | undefined, { account, requestId }: OpenCall): OpenCall => {
      const kept = { requestId, account }
      waiting.add(kept)
      if (call !== undefined) working.delete(call)
      return kept
    },
    ended: (call: OpenCall) => void (working.delete(call) || waiting.delete(call)),
    /** `now`: by the owner's clock, where other runners may have calls too. */
    lowestOf: (account: Account, now: number | undefined): string | undefined => {
      const anybodys = realMillis() - anybodysMillis
      let lowest = now === undefined ? undefined : firstIdBody(now - elsewhereMillis)
      const note = ({ requestId }: OpenCall) => {
        const body = bodyOf(requestId)
        if (lowest === undefined || body < lowest) lowest = body
      }
      for (const [call, since] of working) {
        if (call.account === undefined ? since >= anybodys : isOf(call, account)) note(call)
      }
      for (const call of waiting) if (isOf(call, account)) note(call)
      return lowest
    }
  }
}

export type OpenCalls = ReturnType<typeof makeOpenCalls>
