/** The scenarios of the bench, in the order in which they run. */
import { firstWarmupOfNew } from "./options.ts"
import type { Scenario, Stage } from "./Scenario.ts"
import { insertOrders, type Many, orderOf } from "./stage/rows.ts"

const writers = ["service", "script", "at-once", "ceiling"] as const
/** A read is one statement in any case: there is one baseline. */
const readers = ["service", "script", "ceiling"] as const

const keysOf = ({ merchants }: Stage) => merchants.map(({ key }) => key)

let lots = 0

/** Fresh pending orders for one run. */
const unpaid = async (stage: Stage, merchants = stage.merchants, count = stage.requestsMax) => {
  const lot = `R${(lots++).toString().padStart(5, "0")}`
  const many: Many = { merchants, count, since: Date.now(), step: 0, lot }
  await insertOrders(stage.postgres, stage.side.database, many)
  const orders = Array.from({ length: many.count }, (_, index) => orderOf(many, index + 1))
  return { kind: "pay" as const, orders: orders.map(({ merchant, tradeNo }) => [merchant.key, tradeNo] as const) }
}

/** One paid order of each merchant. */
const paid = async (stage: Stage) => {
  const kind = await unpaid(stage, stage.merchants, stage.merchants.length)
  await stage.drive(kind)
  return { ...kind, kind: "refund" as const }
}

const seededSince = Date.UTC(2026, 0, 1)
/** The orders that each table begins with: a second apart. */
export const seeded = ({ count, merchants }: Pick<Stage, "count" | "merchants">): Many => ({
  merchants,
  count,
  since: seededSince,
  step: 1_000,
  lot: "SEED00"
})

/** Some of the table's orders, from all over it. */
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
    on("pay", "pay, 1,000 wallets", (stage) => unpaid(stage), { firstWarmup: firstWarmupOfNew, checked: true }),
    // Its orders are inserted as paid, so the books do not know of their payments.
    on("refund", "refund", paid)
  ]
}

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
  { key: "balance", title: "balance", size: "small", sides: readers, prepare: get(() => "/v1/balance") },
  {
    key: "growth-create",
    title: "create, ten thousand orders in the table",
    size: "small",
    pair: "growth of create",
    place: "growth",
    sides: ["service", "script"],
    prepare: create(false)
  },
  {
    key: "growth-create-many",
    title: "create, a million orders in the table",
    size: "large",
    pair: "growth of create",
    sides: ["service", "script"],
    prepare: create(false)
  },
  {
    key: "growth-list",
    title: "list, first page, ten thousand orders",
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
    sides: readers,
    prepare: get(() => "/v1/orders")
  },
  {
    key: "list-deep",
    title: "list, deep page",
    size: "large",
    sides: readers,
    prepare: get((stage, merchant) => `/v1/orders?starting_after=${middle(stage, merchant)}`)
  },
  {
    key: "list-metadata",
    title: "list, metadata filter",
    size: "large",
    sides: readers,
    prepare: get(() => "/v1/orders?metadata%5Btier%5D=gold")
  },
  // Last, since paid orders stay in memory for two minutes, and their leaving would be measured with the next load.
  {
    key: "pay-spread",
    title: "pay, 1,000 wallets",
    size: "small",
    sides: writers,
    prepare: (stage) => unpaid(stage),
    firstWarmup: firstWarmupOfNew,
    checked: true
  },
  {
    key: "pay-hot",
    title: "pay, one hot wallet",
    size: "small",
    sides: writers,
    prepare: (stage) => unpaid(stage, stage.merchants.slice(0, 1)),
    checked: true
  },
  {
    key: "pay-hot-slow-disk",
    title: "pay, one hot wallet, 1 ms slower flush",
    size: "small",
    sides: writers,
    prepare: (stage) => unpaid(stage, stage.merchants.slice(0, 1)),
    slowFlush: 1,
    checked: true
  },
  // The rivals refund nothing.
  { key: "refund", title: "refund", size: "small", sides: ["service"], prepare: paid },
  ...[1, 2, 3].flatMap(onRunners)
]
