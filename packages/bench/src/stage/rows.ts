/** The initial data of all sides: merchants with known keys, and millions of orders. */
import { hkdfSync, createHash } from "node:crypto"
import { makeSecrets } from "../rivals/secrets.ts"
import type { Postgres } from "./Postgres.ts"

export interface MerchantData {
  readonly merchantId: string
  readonly key: string
}

export interface OrderData {
  readonly tradeNo: string
  readonly merchant: MerchantData
}

export const secretKey = createHash("sha256").update("a key of the bench").digest("base64")

const digits = (text: string, length: number) =>
  [...createHash("sha256").update(text).digest()]
    .slice(0, length)
    .map((byte) => "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[byte & 31])
    .join("")

export const merchantsOf = (count: number): ReadonlyArray<MerchantData> =>
  Array.from({ length: count }, (_, index) => ({
    merchantId: `mer_${digits(`merchant ${index}`, 26)}`,
    key: `svc_test_${Buffer.from(hkdfSync("sha256", `key ${index}`, "", "", 32)).toString("base64url")}`
  }))

/** Raised quotas: the bench sends more per minute than a merchant may. */
const quotas = JSON.stringify({ writes: 1_000_000, reads: 1_000_000, csv: 1_000_000, helpers: 1_000_000 })

export const insertMerchants = async (postgres: Postgres, database: string, merchants: ReadonlyArray<MerchantData>) => {
  const { keyHash } = makeSecrets(secretKey)
  const ids = merchants.map(({ merchantId }) => merchantId)
  await postgres.query(
    database,
    `insert into merchants (merchant_id, name, quotas, created_at)
      select id, 'Bench', '${quotas}', now() from unnest($1::text[]) as id`,
    [ids]
  )
  for (const mode of ["sandbox", "live"]) {
    const hashes = merchants.map(({ key }) => (mode === "sandbox" ? keyHash(key) : keyHash(`live ${key}`)))
    await postgres.query(
      database,
      `insert into merchant_modes (merchant_id, mode, key_hash)
        select id, '${mode}', hash from unnest($1::text[], $2::text[]) as row (id, hash)`,
      [ids, hashes]
    )
    await postgres.query(
      database,
      `insert into webhook_settings (id, version, merchant_id, mode, signing, endpoints)
        select id || '/${mode}', 1, id, '${mode}', '{"current": "", "rotatedAt": null, "old": []}', '[]'
        from unnest($1::text[]) as id`,
      [ids]
    )
  }
}

export interface Many {
  readonly merchants: ReadonlyArray<MerchantData>
  readonly count: number
  /** Unix milliseconds of the first. */
  readonly since: number
  /** Milliseconds from one to the next. */
  readonly step: number
  /** Distinguishes lots that began in the same millisecond: 6 digits or capitals. */
  readonly lot: string
}

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const digit = (place: number) => `substr('${alphabet}', ((millis >> ${5 * place}) & 31)::int + 1, 1)`
const timeDigits = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map(digit).join(" || ")

const timeOf = (millis: number) => {
  let text = ""
  for (let rest = millis, index = 0; index < 10; index++) {
    text = alphabet[rest % 32]! + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** The order that {@link insertOrders} has made as the n-th, counted from 1. */
export const orderOf = ({ lot, merchants, since, step }: Many, n: number): OrderData => ({
  tradeNo: `TRD_SB_${timeOf(since + (n - 1) * step)}${lot}${n.toString(16).toUpperCase().padStart(10, "0")}`,
  merchant: merchants[n % merchants.length]!
})

/**
 * Pending orders, one merchant after the other. One in a hundred has `tier: gold` in its metadata. They expire in a
 * year that no worker reaches.
 */
export const insertOrders = (postgres: Postgres, database: string, many: Many) =>
  postgres.query(
    database,
    `insert into orders (trade_no, version, merchant_id, mode, out_trade_no, amount, currency, subject, status,
        refunded_amount, metadata, declines, unapplied_payments, due_at, expires_at, created_at, return_url)
      select 'TRD_SB_' || ${timeDigits} || '${many.lot}' || upper(lpad(to_hex(n), 10, '0')), 1,
        ($1::text[])[1 + n % ${many.merchants.length}], 'sandbox', 'row-${many.lot}-' || n, 1000 + n % 9000, 'USD',
        'Two books', 'pending', 0,
        case when (n / ${many.merchants.length}) % 100 = 7 then '{"tier": "gold", "shelf": "A7"}'::jsonb
          else '{"shelf": "A7"}'::jsonb end,
        0, '[]', timestamptz '2100-01-01', timestamptz '2100-01-01', to_timestamp(millis / 1000.0),
        'https://shop.example.com/thanks'
      from (select n, ${many.since} + (n - 1) * ${many.step} as millis
        from generate_series(1, ${many.count}::bigint) as n)`,
    [many.merchants.map(({ merchantId }) => merchantId)]
  )
