/**
 * Verified hosts of shops, in the memory of this runner (docs/decisions/0201): which merchant's pages a host serves,
 * and the base of the addresses for a merchant's buyers. It is read at the start, again for a changed merchant, and
 * whole each minute. While Postgres is away the last state is used.
 */
import { Context, Effect, Layer, Option, Queue, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { onRealTime } from "../../platform/runtime/realTime.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { shopDomainSettings } from "./shopDomainSettings.ts"

/** Verified hosts of an installation: some 300 bytes each in memory. A host above is not verified. */
export const hostsMax = 50_000
/** Changed merchants that are remembered until they are read. With more, all are read. */
const toldMax = 1_000
/** How often all hosts are read, in case a change was missed. */
const rereadEvery = "1 minute"
const pauseAfterFailure = "1 second"

export class ShopHosts extends Context.Service<
  ShopHosts,
  {
    /** The base of the addresses for this merchant's buyers. */
    readonly baseOf: (merchantId: string) => string
    /** The merchant of this host, in lower case and without a port. */
    readonly merchantAt: (host: string) => string | undefined
    readonly isEmpty: () => boolean
    /** The target of hosts. None: this installation has no hosts of shops. */
    readonly pointTo: ReadonlyArray<string>
    /** Hosts that are the installation's own. */
    readonly own: ReadonlySet<string>
    /** Reads the host of a merchant that was changed here, now or later. */
    readonly read: (merchantId: string) => Effect.Effect<void>
    /** Notes that this merchant was changed, here or at another runner; undefined: any merchant. It is read soon. */
    readonly hear: (merchantId: string | undefined) => void
  }
>()("@coffer/signedUrls/ShopHosts") {}

const HostRow = Schema.Struct({ merchant_id: Schema.String, host: Schema.String })
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(HostRow))

export const layer = Layer.effect(
  ShopHosts,
  Effect.gen(function* () {
    const { adminUrl, of, publicUrl } = yield* Settings
    const { pointTo } = of(shopDomainSettings)
    const { bases, hosts, hear, read } = yield* makeMap(pointTo.length > 0, publicUrl)
    const urls = [publicUrl, ...(adminUrl === undefined ? [] : [adminUrl])]
    return ShopHosts.of({
      baseOf: (merchantId) => (bases.size === 0 ? publicUrl : (bases.get(merchantId) ?? publicUrl)),
      merchantAt: (host) => hosts.get(host),
      isEmpty: () => hosts.size === 0,
      pointTo,
      own: new Set([...urls.map((url) => new URL(url).hostname), ...pointTo]),
      read,
      hear
    })
  })
)

/** One reader at a time, so that no older row replaces a newer one. */
const makeMap = Effect.fnUntraced(function* (isOn: boolean, publicUrl: string) {
  const sql = yield* SqlClient.SqlClient
  const reading = yield* Semaphore.make(1)
  const waiting = new Set<string>()
  const isTold = yield* Queue.sliding<void>(1)
  const hosts = new Map<string, string>()
  const bases = new Map<string, string>()
  let isAllTold = false

  const forget = (merchantId: string) => {
    const base = bases.get(merchantId)
    if (base === undefined) return
    bases.delete(merchantId)
    const { hostname } = new URL(base)
    // Another merchant may have proven the host since.
    if (hosts.get(hostname) === merchantId) hosts.delete(hostname)
  }
  const keep = (rows: ReadonlyArray<typeof HostRow.Type>) => {
    for (const { host, merchant_id } of rows) {
      hosts.set(host, merchant_id)
      bases.set(merchant_id, baseAt(publicUrl, host))
    }
  }

  const readAll = Effect.map(
    Effect.flatMap(
      sql`select merchant_id, host from shop_domains where verified_at is not null
        order by verified_at limit ${hostsMax}`,
      decodeRows
    ),
    (rows) => {
      hosts.clear()
      bases.clear()
      keep(rows)
    }
  )
  const readSome = (merchantIds: ReadonlyArray<string>) =>
    Effect.map(
      Effect.flatMap(
        sql`select merchant_id, host from shop_domains
          where merchant_id = any(${merchantIds}::text[]) and verified_at is not null`,
        decodeRows
      ),
      (rows) => {
        merchantIds.forEach(forget)
        keep(rows)
      }
    )

  const hear = (merchantId: string | undefined) => {
    if (!isOn) return
    if (merchantId === undefined || waiting.size >= toldMax) isAllTold = true
    else waiting.add(merchantId)
    Queue.offerUnsafe(isTold, undefined)
  }

  const next = Effect.gen(function* () {
    const heard = yield* Effect.timeoutOption(Queue.take(isTold), rereadEvery)
    const isAll = isAllTold || Option.isNone(heard)
    const merchantIds = [...waiting]
    isAllTold = false
    waiting.clear()
    yield* Effect.catchCause(reading.withPermit(isAll ? readAll : readSome(merchantIds)), () => {
      hear(undefined)
      return Effect.sleep(pauseAfterFailure)
    })
  })

  if (isOn) {
    yield* sqlDefects(readAll)
    yield* Effect.forkScoped(onRealTime(Effect.forever(next)))
  }
  return {
    hosts,
    bases,
    hear,
    read: (merchantId: string) =>
      isOn
        ? Effect.catchCause(reading.withPermit(readSome([merchantId])), () => Effect.sync(() => hear(merchantId)))
        : Effect.void
  }
})

/** The scheme, the port and the path of PUBLIC_URL hold at every host. */
const baseAt = (publicUrl: string, host: string): string => {
  const url = new URL(publicUrl)
  url.hostname = host
  return url.href.replace(/\/+$/, "")
}
