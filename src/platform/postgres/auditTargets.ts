/**
 * Numbers in the target of an audit log entry, which is a path. Each expression has an index (`laterIndexes.ts`), so a
 * query has to use exactly this text.
 */
import { prefixes } from "@coffer/model/Ids"

const body = "[0-9A-HJKMNP-TV-Z]{26}"

const { merchant, tradeNo, ...others } = prefixes
/** The objects of acts, besides merchants. `TRD_SB_` begins with `TRD_`, so it comes first. */
const objects = [tradeNo.sandbox, tradeNo.live, ...Object.values(others)]

const merchantPattern = `${merchant}${body}`
const objectPattern = `(?:${objects.join("|")})${body}`

/** The merchant that a path names. */
export const merchantIn = `substring(target from '${merchantPattern}')`
/** The first other object that it names. */
export const objectIn = `substring(target from '${objectPattern}')`

const isWhole = (pattern: string) => {
  const whole = new RegExp(`^${pattern}$`)
  return (text: string) => whole.test(text)
}
export const isMerchant = isWhole(merchantPattern)
export const isObject = isWhole(objectPattern)
