/**
 * The merchant of a key, from a cache that the database fills, and how many requests the merchant has left this minute.
 */
import type { FeeSchedule } from "@coffer/model/Fees"
import type { Pool } from "pg"
import type { Secrets } from "./secrets.ts"

export interface Merchant {
  readonly merchantId: string
  readonly mode: "sandbox" | "live"
  readonly fees: FeeSchedule
  readonly defaultNotifyUrl: string | null
  readonly writes: number
  readonly reads: number
  readonly createdAt: string
  /** Requests of the current minute. */
  counted: { minute: number; writes: number; reads: number }
}

const statement = {
  name: "merchant",
  text: `select m.merchant_id, mm.mode, m.fees, m.quotas, m.created_at, mm.default_notify_url
    from merchant_modes mm join merchants m using (merchant_id) where mm.key_hash = $1`
}

export const makeMerchants = (pool: Pool, { keyHash }: Secrets) => {
  const known = new Map<string, Merchant>()

  const read = async (key: string): Promise<Merchant | undefined> => {
    const { rows } = await pool.query({ ...statement, values: [keyHash(key)] })
    if (rows.length === 0) return undefined
    const [row] = rows
    const merchant: Merchant = {
      merchantId: row.merchant_id,
      mode: row.mode,
      fees: row.fees,
      defaultNotifyUrl: row.default_notify_url,
      writes: row.quotas.writes ?? 120,
      reads: row.quotas.reads ?? 600,
      createdAt: row.created_at,
      counted: { minute: 0, writes: 0, reads: 0 }
    }
    known.set(key, merchant)
    return merchant
  }

  return { byKey: (key: string) => known.get(key) ?? read(key) }
}

/** A fixed window: cheaper than the service's sliding one. Undefined when nothing is left. */
export const takeQuota = (merchant: Merchant, kind: "writes" | "reads", now: number) => {
  const minute = Math.floor(now / 60_000)
  if (merchant.counted.minute !== minute) merchant.counted = { minute, writes: 0, reads: 0 }
  const left = merchant[kind] - ++merchant.counted[kind]
  if (left < 0) return undefined
  return {
    policy: `"${kind}";q=${merchant[kind]};w=60`,
    limit: `"${kind}";r=${left};t=${60 - Math.floor((now / 1_000) % 60)}`
  }
}
