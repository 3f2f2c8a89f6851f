/**
 * A merchant's account at Adyen, as it is stored: its keys are sealed, and bound to their merchant, environment and
 * use. Pure.
 */
import type { Account } from "@coffer/model/Account"
import { DateTime, Schema } from "effect"
import type { Secrets } from "../../platform/runtime/Secrets.ts"
import type { RegisteredChannel } from "../../shared/channel/Channel.ts"
import type { ChannelAccount, ChannelAccounts } from "../../shared/channel/ChannelAccount.ts"
import { adyenChannel } from "./names.ts"

const Own = Schema.Struct({
  apiKey: Schema.String,
  /** Of the notices. */
  hmacKey: Schema.String,
  /** The one before, with which notices on their way are signed; null if there was none. */
  previousHmacKey: Schema.NullOr(Schema.String),
  /** The merchant account at Adyen. */
  account: Schema.String,
  /** The start of the addresses of live calls, which Adyen gives to a company; null in test. */
  prefix: Schema.NullOr(Schema.String)
})
const decodeOwn = Schema.decodeUnknownSync(Own)
type Own = typeof Own.Type

export type AdyenAccount = Own & Pick<ChannelAccount, "isActive" | "setAt">
export type OneAccount = Pick<Account, "merchantId" | "mode">

/** Null without one. */
export const adyenAccountIn = (accounts: ChannelAccounts): AdyenAccount | null => {
  const stored = accounts[adyenChannel]
  return stored === undefined ? null : { isActive: stored.isActive, setAt: stored.setAt, ...decodeOwn(stored.own) }
}

export const toStore = ({ isActive, setAt, ...own }: AdyenAccount): ChannelAccount => ({ isActive, setAt, own })

/** The secrets of an account. */
type Keys = Pick<Own, "apiKey" | "hmacKey" | "previousHmacKey">

/** `change`: what is done with the text of each key. */
const withKeys = (
  { merchantId, mode }: OneAccount,
  keys: Keys,
  change: (text: string, use: string) => string
): Keys => {
  const use = (name: string) => `${merchantId}/${mode}/adyen/${name}`
  return {
    apiKey: change(keys.apiKey, use("api_key")),
    hmacKey: change(keys.hmacKey, use("hmac_key")),
    previousHmacKey: keys.previousHmacKey === null ? null : change(keys.previousHmacKey, use("hmac_key"))
  }
}

export const sealKeys = (secrets: Secrets["Service"], account: OneAccount, keys: Keys): Keys =>
  withKeys(account, keys, secrets.encrypt)

/** Throws if they cannot be decrypted. */
export const openKeys = (secrets: Secrets["Service"], account: OneAccount, sealed: Keys): Keys =>
  withKeys(account, sealed, secrets.decrypt)

/** They were encrypted with another SECRET_KEY. */
export const resealKeys: NonNullable<RegisteredChannel["reseal"]> = (payee, own, again) => {
  const stored = decodeOwn(own)
  return { ...stored, ...withKeys(payee, stored, again) }
}

/** How long notices may be signed with the key before the last change. */
const previousFor = { days: 1 }

/** The keys with which a notice may be signed now. */
export const signingKeys = ({ hmacKey, previousHmacKey }: Keys, setAt: string, now: DateTime.Utc) =>
  previousHmacKey !== null && DateTime.isLessThan(now, DateTime.add(DateTime.makeUnsafe(setAt), previousFor))
    ? [hmacKey, previousHmacKey]
    : [hmacKey]
