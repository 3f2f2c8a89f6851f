/** The scenarios of the bench, in the order in which they run. */
import type { RestatePayment } from "./engines/restate.ts"
import { firstWarmupOfNew } from "./options.ts"
import type { Scenario, Stage } from "./Scenario.ts"
import { type Many, orderOf } from "./stage/rows.ts"

const writers = ["service", "script", "at-once", "ceiling"] as const
/** A read is always one statement, so there is one baseline. */
const readers = ["service", "script", "ceiling"] as const
/** The ceiling reads a list as the script does. */
const listers = ["service", "script"] as const
/** The delay of each flush of the log, milliseconds. 0 is `pay-hot`. */
const slowFlushes = [1, 3, 10]

const keysOf = ({ merchants }: Stage) => merchants.map(({ key }) => key)

let lots = 0

/** Fresh pending orders for one run. */
const unpaid = async (stage: Stage, merchants = stage.merchants, count = stage.requestsMax) => {
  const lot = `R${(lots++).toString().padStart(5, "0")}`
  const many: Many = { merchants, count, since: Date.now(), step: 0, lot }
  await stage.insertOrders(many)
  const orders = Array.from({ length: many.count }, (_, index) => orderOf(many, index + 1))
  return { kind: "pay" as const, orders: orders.map(({ merchant, tradeNo }) => [merchant.key, tradeNo] as const) }
}

/** Restate has no orders: the terms come with the call. */
const unpaidOfRestate = async (stage: Stage) => {
  const { orders } = await unpaid(stage)
  const requests = orders.map(([, trade_no], index) => {
    const payment: RestatePayment = { trade_no, amount: 1_000 + (index % 9_000), payment_method: "card" }
    return [
      `/wallet/${stage.merchants[index % stage.merchants.length]!.merchantId}/pay`,
      JSON.stringify(payment)
    ] as const
  })
  return { kind: "post" as const, requests }
}

const hot = (stage: Stage) => unpaid(stage, stage.merchants.slice(0, 1))

/** One paid order of each merchant. */
const paid = async (stage: Stage) => {
  const kind = await unpaid(stage, stage.merchants, stage.merchants.length)
  await stage.drive(kind)
  return { ...kind, kind: "refund" as const }
}

const seededSince = Date.UTC(2026, 0, 1)
/** The initial orders of each table: a second apart. */
export const seeded = ({ count, merchants }: Pick<Stage, "count" | "merchants">): Many => ({
  merchants,
  count,
  since: seededSince,
  step: 1_000,
  lot: "SEED00"
})

/** A sample of the table's orders, spread over all of it. */
const someOrders = (stage: Stage) => {
  const many = seeded(stage)
  const step = Math.max(1, Math.floor(stage.count / 10_000))
  return Array.from({ length: Math.min(10_000, stage.count) }, (_, index) => orderOf(many, 1 + index * step))
}

const get = (path: (stage: Stage, merchant: number) => string) => (stage: Stage) =>
  Promise.resolve({
    kind: "get" as const,
    requests: stage.merchants.map(({ key }, index) => [key, path(stage, index)] as const)
  })

/** An order half-way back in the merchant's list. */
const middle = (stage: Stage, merchant: number) => {
  const many = seeded(stage)
  const rows = Math.floor(stage.count / stage.merchants.length)
  return orderOf(many, merchant + stage.merchants.length * Math.max(1, Math.floor(rows / 2))).tradeNo
}

const create = (keyed: boolean) => (stage: Stage) =>
  Promise.resolve({ kind: "create" as const, keys: keysOf(stage), keyed })

/** The same requests to one runner of a cluster and to several, measured in turn. */
const onRunners = (runners: number): ReadonlyArray<Scenario> => {
  const on = (key: string, title: string, prepare: Scenario["prepare"], more: Partial<Scenario> = {}): Scenario => ({
    byName: key !== "pay" || runners > 2,
    key: `runners-${key}-${runners}`,
    title: `${title}, ${runners} of a cluster`,
    size: "small",
    place: `runners_${runners}`,
    pair: `runners: ${key}`,
    runners,
    sides: ["service"],
    prepare,
    ...more
  })
  return [
    on("create", "create, Idempotency-Key", create(true), { firstWarmup: firstWarmupOfNew }),
    on("pay", "pay, 1,000 wallets", (stage) => unpaid(stage), { firstWarmup: firstWarmupOfNew }),
    on("refund", "refund", paid)
  ]
}

/** Two runners behind HAProxy, beside those that are called in turn. */
const balanced = (["plain", "learning"] as const).map((balancing): Scenario => {
  const [, pay] = onRunners(2)
  const how = balancing === "plain" ? "HAProxy" : "HAProxy that learns owners"
  const place = `runners_${balancing}`
  return { ...pay!, key: `runners-${balancing}`, title: `${pay!.title}, ${how}`, place, balancing, byName: true }
})

export const scenarios: ReadonlyArray<Scenario> = [
  {
    key: "create",
    title: "create order, 1,000 merchants",
    size: "small",
    sides: writers,
    prepare: create(false),
    firstWarmup: firstWarmupOfNew
  },
  { key: "create-keyed", title: "create, Idempotency-Key", size: "small", sides: writers, prepare: create(true) },
  {
    key: "read",
    title: "read one order",
    size: "small",
    sides: readers,
    prepare: (stage) =>
      Promise.resolve({
        kind: "read",
        orders: someOrders(stage).map(({ merchant, tradeNo }) => [merchant.key, tradeNo] as const)
      })
  },
  { key: "balance", title: "balance", size: "small", byName: true, sides: listers, prepare: get(() => "/v1/balance") },
  {
    key: "growth-create",
    byName: true,
    title: "create, ten thousand orders in the table",
    size: "small",
    pair: "growth of create",
    place: "growth",
    sides: ["service", "script"],
    prepare: create(false)
  },
  {
    key: "growth-create-many",
    byName: true,
    title: "create, large table",
    size: "large",
    pair: "growth of create",
    sides: ["service", "script"],
    prepare: create(false)
  },
  {
    key: "growth-list",
    byName: true,
    title: "list, first page, ten thousand orders in the table",
    size: "small",
    pair: "growth of list",
    place: "growth",
    sides: ["service", "script"],
    prepare: get(() => "/v1/orders")
  },
  {
    key: "list-first",
    title: "list, first page",
    size: "large",
    pair: "growth of list",
    sides: listers,
    prepare: get(() => "/v1/orders")
  },
  {
    key: "list-deep",
    byName: true,
    title: "list, deep page",
    size: "large",
    sides: listers,
    prepare: get((stage, merchant) => `/v1/orders?starting_after=${middle(stage, merchant)}`)
  },
  {
    key: "list-metadata",
    title: "list, metadata filter",
    size: "large",
    sides: listers,
    prepare: get(() => "/v1/orders?metadata%5Btier%5D=gold")
  },
  {
    key: "pay-spread",
    title: "pay, 1,000 wallets",
    size: "small",
    sides: writers,
    prepare: (stage) => unpaid(stage),
    firstWarmup: firstWarmupOfNew,
    pair: "payments",
    also: ["standby"]
  },
  {
    key: "standby",
    title: "pay, 1,000 wallets, a standby applies first",
    size: "small",
    pair: "payments",
    sides: ["service", "script", "at-once"],
    prepare: (stage) => unpaid(stage),
    firstWarmup: 1,
    standby: true
  },
  {
    key: "pay-hot",
    title: "pay, one hot wallet",
    size: "small",
    pair: "flush",
    also: ["flush"],
    sides: writers,
    prepare: hot
  },
  ...slowFlushes.map((millis): Scenario => ({
    key: `flush-${millis}`,
    title: `pay, one hot wallet, ${millis} ms slower flush`,
    size: "small",
    pair: "flush",
    sides: ["service", "script", "at-once"],
    prepare: hot,
    slowFlush: millis
  })),
  {
    key: "pay-lonely",
    title: "pay, 4 connections",
    size: "small",
    sides: writers,
    prepare: (stage) => unpaid(stage),
    connections: 4
  },
  {
    key: "engines",
    title: "pay, 1,000 wallets, beside durable engines",
    size: "small",
    place: "engines",
    byName: true,
    sides: ["service", "script", "dbos", "restate"],
    prepare: (stage) => (stage.side.name === "restate" ? unpaidOfRestate(stage) : unpaid(stage)),
    firstWarmup: firstWarmupOfNew
  },
  // The rivals refund nothing.
  { key: "refund", title: "refund", size: "small", sides: ["service"], prepare: paid },
  ...[1, 2, 3].flatMap(onRunners),
  ...balanced
]
