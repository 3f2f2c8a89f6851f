/** Coffer as a side of the race: merchants by its operator's API, due deliveries by SQL. */
import { setTimeout as sleep } from "node:timers/promises"
import { bodyOf as storedBodyOf, pack } from "../../../../src/webhooks/events/eventBodies.ts"
import type { Postgres } from "../stage/Postgres.ts"
import * as Sides from "../stage/Sides.ts"
import { bodyOf, eventId, type Template } from "./job.ts"
import type { Racer } from "./Racer.ts"
import type { Sink } from "./Sink.ts"

export interface Shop {
  readonly merchantId: string
  readonly key: string
}

const merchantsCount = 100
/** From the first row that is written until deliveries are due: the rows are written and vacuumed meanwhile. */
const dueInMillis = 12_000

export const call = async (
  { port }: Pick<Sides.Side, "port">,
  way: string,
  headers: Record<string, string>,
  body: object
) => {
  const response = await fetch(`http://127.0.0.1:${port}${way}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${way} answered ${response.status}: ${text}`)
  return (JSON.parse(text) as { readonly data: Record<string, string> }).data
}

export const newShop = async (side: Pick<Sides.Side, "port">): Promise<Shop> => {
  const operator = { authorization: `Bearer ${Sides.operatorToken}` }
  const made = await call(side, "/operator/v1/merchants", operator, { name: "Bench", seed: false })
  return { merchantId: made["merchant_id"]!, key: made["sandbox_key"]! }
}

/** An order that has been paid. */
export const pay = async (side: Pick<Sides.Side, "port">, { key }: Shop, notifyUrl: string): Promise<string> => {
  const auth = { "x-api-key": key }
  const terms = { amount: 1_999, currency: "USD", subject: "Two books", notify_url: notifyUrl }
  const order = await call(side, "/v1/orders", auth, terms)
  const tradeNo = order["trade_no"]!
  await call(side, `/v1/test_helpers/orders/${tradeNo}/pay`, auth, {})
  return tradeNo
}

export interface ServiceGiven {
  readonly postgres: Postgres
  readonly sink: Sink
  readonly how: Sides.How
}

export const startService = async (name: "service" | "before", { how, postgres, sink }: ServiceGiven) => {
  const database = `deliveries_${name}`
  await postgres.query("coffer", `create database ${database}`)
  const env = { ALLOW_PRIVATE_WEBHOOKS: "true" }
  const side = await Sides.start(postgres, name, database, { ...how, env })
  const shops: Array<Shop> = []
  while (shops.length < merchantsCount) shops.push(await newShop(side))

  const { arrived } = await sink.expect(1)
  await pay(side, shops[0]!, sink.urls[0]!)
  const [delivered] = [(await arrived).body]
  const id = /evt_\w+/.exec(delivered)![0]
  const [event] = await postgres.query(database, "select packed from events where id = $1", [id])
  // Without the signatures in its addresses, which each delivery adds.
  const stored: Template = { id, body: storedBodyOf({ body: null, packed: event!["packed"] as Uint8Array }) }
  let due = 0

  const racer: Racer = {
    name,
    pid: side.pids[0]!,
    database,
    fill: (run, count) => {
      due = Date.now() + dueInMillis
      return insertDue(postgres, database, { run, count, due, event: stored, shops, urls: sink.urls })
    },
    go: async () => {
      if (Date.now() > due) throw new Error("the rows were written too slowly")
      await sleep(due - Date.now() - 20)
    },
    stored: async () => {
      const pending = "select 1 from deliveries where status = 'pending' limit 1"
      while ((await postgres.query(database, pending)).length > 0) await sleep(5)
      const [wrong] = await postgres.query(database, "select * from deliveries where status <> 'succeeded' limit 1")
      if (wrong !== undefined) throw new Error(`a delivery did not succeed: ${JSON.stringify(wrong)}`)
    },
    rest: () => Promise.resolve(),
    stop: side.stop
  }
  const template: Template = { id, body: delivered }
  return { racer, template }
}

interface Due {
  readonly run: string
  readonly count: number
  readonly due: number
  /** The event of which all others are copies. */
  readonly event: Template
  readonly shops: ReadonlyArray<Shop>
  readonly urls: ReadonlyArray<string>
}

const insertDue = async (
  { query }: Postgres,
  database: string,
  { count, due, event, run, shops, urls }: Due
): Promise<void> => {
  const prefix = run.padEnd(12, "0")
  const number = `'${prefix}' || lpad(n::text, 14, '0')`
  const merchants = shops.map(({ merchantId }) => merchantId)
  const bodies = Array.from({ length: count }, (_, n) => pack(bodyOf(event, eventId(run, n))))
  await query(
    database,
    `insert into events (id, merchant_id, mode, type, object_id, trade_no, packed, created_at)
      select 'evt_' || ${number}, ($1::text[])[1 + n % ${shops.length}], mode, type, object_id, trade_no,
        decode(hex, 'hex'), now()
      from events, unnest($3::text[]) with ordinality as bodies (hex, place), lateral (select place - 1 as n) as number
      where id = $2`,
    [merchants, event.id, bodies]
  )
  await query(
    database,
    `insert into deliveries (id, event_id, merchant_id, mode, endpoint_id, url, destination, status, attempts,
        next_attempt_at, created_at)
      select 'dlv_' || ${number}, 'evt_' || ${number}, ($1::text[])[1 + n % ${shops.length}], 'sandbox', null,
        url, split_part(url, '/', 3), 'pending', 0, to_timestamp(${due / 1_000}), now()
      from generate_series(0, ${count - 1}) as n, lateral (select ($2::text[])[1 + n % ${urls.length}] as url) as u`,
    [merchants, urls]
  )
}
