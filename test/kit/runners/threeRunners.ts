/** Three runners on one database, as separate processes, and which of them owns what. */
import { MerchantId } from "@coffer/model/Ids"
import { walletIdOf } from "@coffer/rules/wallet/Wallet"
import { Effect, Hash } from "effect"
import type { SqlClient } from "effect/sql"
import { type Coffer, connect, eventually, liftQuotas } from "../Process.ts"
import { freshDatabase } from "../Service.ts"
import { currencies, newOrder, type Order, runner, type Wallet } from "./TwoRunners.ts"

export const threeRunners = Effect.gen(function* () {
  const databaseUrl = yield* freshDatabase
  const sql = yield* connect(databaseUrl)
  const nodes = yield* Effect.replicateEffect(runner(databaseUrl), 3)
  for (const { ready } of nodes) yield* ready
  return { databaseUrl, sql, nodes }
})

/** As the framework hashes the name of a slot (effect/cluster/internal/hash). */
const hashOf = (text: string) => {
  let hash = 5381
  for (let at = text.length - 1; at >= 0; at--) hash = (hash * 33) ^ text.charCodeAt(at)
  return (hash & 0xbfffffff) | ((hash >>> 1) & 0x40000000)
}

/** The shard of an object, as `platform/cluster/owner.ts` has it. */
const shardOf = (key: string) => {
  const slot = String(Math.abs(Hash.string(key) % 300))
  return Math.abs(hashOf(slot) % 300) + 1
}

/** By shard, the pid of the process that holds its lock. */
export const holders = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ shard: number; pid: string }>`select (objid::int8 - 1000000)::int4 as shard,
        substring(application_name from '^coffer (\\d+)@') as pid
      from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted and objsubid = 2 and objid between 1000001 and 1000300
        and database = (select oid from pg_database where datname = current_database())`,
    (rows) => new Map(rows.map(({ pid, shard }) => [shard, Number(pid)]))
  )

/** Waits until so many runners hold all shards, each as many as the others. Returns the holder of each. */
export const eachOwnsAPart = (sql: SqlClient.SqlClient, runners: number) =>
  Effect.andThen(
    eventually(
      "each to own a part",
      Effect.map(holders(sql), (held) => {
        const parts = [...Map.groupBy(held.values(), (pid) => pid).values()]
        return parts.length === runners && parts.every(({ length }) => length === 300 / runners)
      })
    ),
    holders(sql)
  )

/** A wallet whose owner is known: it has all its orders, too. */
export interface Owned extends Wallet {
  readonly id: string
}

/** The wallets of so many merchants. With eight of them, of two or three runners each owns some. */
export const newWallets = ({ api }: Coffer, merchants = 8): Effect.Effect<ReadonlyArray<Owned>> =>
  Effect.gen(function* () {
    const { merchantId, sandboxKey: key } = yield* api.newMerchant()
    yield* liftQuotas(api, merchantId)
    return currencies.map((currency) => {
      const id = walletIdOf({ merchantId: MerchantId.make(merchantId), mode: "sandbox", currency })
      return { key, currency, id }
    })
  }).pipe(
    Effect.replicateEffect(merchants),
    Effect.map((all) => all.flat())
  )

/** The pid of the runner that owns a wallet and its orders. */
export const ownerOf = ({ id }: Owned, held: ReadonlyMap<number, number>) => held.get(shardOf(id))

/** So many orders, of these wallets in turn. */
export const newOrders = (
  coffer: Coffer,
  wallets: ReadonlyArray<Owned>,
  count: number
): Effect.Effect<ReadonlyArray<Order & { readonly wallet: Owned }>> =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => wallets[index % wallets.length]!),
    (wallet) => Effect.map(newOrder(coffer, wallet), (order) => ({ ...order, wallet })),
    { concurrency: 8 }
  )
