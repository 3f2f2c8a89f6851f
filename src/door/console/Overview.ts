/**
 * Front door to the figures of the console's home page. Each past day is counted once and kept in a row. A call counts
 * a limited number of rows: if older days are missing, the answer says that it is incomplete, and the next call
 * continues. An answer is cached for some seconds (docs/decisions/0097).
 */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import type { OverviewResource } from "@coffer/contract/ConsoleMerchant"
import type { MerchantId, Mode } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import { dayAfter, type Day, dayIn, daysUntil, startOf, zoneOf } from "@coffer/rules/reports/days"
import { Cache, Context, DateTime, Duration, Effect, Exit, Layer, Option } from "effect"
import { NeedsAttention } from "../../reads/needsAttention/NeedsAttention.ts"
import { type Merchant, type MerchantNotFound, Merchants } from "../../access/merchants/Merchants.ts"
import { Channel } from "../../shared/channel/Channel.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"
import { span } from "../../platform/runtime/span.ts"
import { Wallets } from "../../money/wallets/Wallets.ts"
import { balanceView } from "../../money/wallets/WalletView.ts"
import { type Days, type Figures, type Hours, OverviewStore } from "./OverviewStore.ts"

export class Overview extends Context.Service<
  Overview,
  {
    /** `days`: how many, today included. */
    readonly of: (merchantId: string, mode: Mode, days: number) => Effect.Effect<OverviewResource, MerchantNotFound>
  }
>()("@coffer/console/Overview") {}

const rememberedFor = Duration.seconds(5)
const rememberedMax = 1_000
/** Rows that one call counts, roughly: a day is counted whole. */
const countedMax = 200_000
/** Rows of a past day may be written this long after it: their numbers are made before. */
const closedAfter = Duration.minutes(10)
/** Hours of a day that is over. */
const hoursFor = Duration.hours(1)
/** Days that are kept: those that are shown, and as many before. */
const keptDays = 180

export const layer = Layer.effect(
  Overview,
  Effect.gen(function* () {
    const merchants = yield* Merchants
    const clocks = yield* MerchantClocks
    const channel = yield* Channel
    const store = yield* OverviewStore
    const wallets = yield* Wallets
    const needsAttention = yield* NeedsAttention

    /** Hours of a day that is over do not change, but where a sandbox's clock is moved. */
    const kept = yield* Cache.make({
      lookup: (key: string) => {
        const [merchantId, mode, zone, day] = key.split(" ") as [MerchantId, Mode, string, Day]
        return store.hours({ account: { merchantId, mode }, zone: zoneOf(zone)! }, day)
      },
      capacity: rememberedMax,
      timeToLive: hoursFor
    })
    const pastHours = ({ account, isMoved, zone }: Counting, day: Day) =>
      isMoved
        ? store.hours({ account, zone }, day)
        : Cache.get(kept, `${account.merchantId} ${account.mode} ${zone.id} ${day}`)

    const look = Effect.fnUntraced(function* (merchant: Merchant, mode: Mode, count: number) {
      const account = { merchantId: merchant.merchant_id, mode }
      const now = yield* clocks.within(account, currentTime)
      const zone = zoneOf(merchant.time_zone) ?? zoneOf("UTC")!
      const today = dayIn(DateTime.toEpochMillis(now), zone)
      // Today is compared with the same day of the week before.
      const days = daysUntil(today, count === 1 ? 8 : 2 * count)
      const [shown, earlier] = [days.slice(-count), days.slice(0, count)]
      const counting = { account, zone, now, days, isMoved: clocks.offsetOf(account) > 0 }
      const counted = yield* countDays(store, counting)
      const isToday = count === 1
      const hours = isToday ? yield* store.hours(counting, today) : []
      const earlierHours = isToday ? yield* pastHours(counting, earlier[0]!) : []
      const endpoints = endpointsOf(merchant, mode)
      const failing = yield* store.failing([...endpoints.keys()])
      const { count: needs_response, due } = yield* store.disputes(account)
      const held_up = yield* needsAttention.counts({ merchant_id: account.merchantId, mode })
      const balances = yield* Effect.forEach(Currency.literals, (currency) => wallets.balance({ ...account, currency }))
      return {
        object: "overview",
        merchant_id: account.merchantId,
        mode,
        time_zone: zone.id,
        from: shown[0]!,
        to: today,
        counted_at: isoText(yield* currentTime),
        is_complete: days.every((day) => counted.has(day)),
        has_channel: Option.isSome(yield* channel.takerOf(account)),
        currencies: balances
          .map(balanceView)
          .flatMap((balance) => currencyView(balance, { shown, earlier, counted, hours, earlierHours })),
        disputes: { needs_response, next_due_at: isoTextOrNull(due) },
        failing_endpoints: failing.map(({ endpoint_id, failing_since, reason }) => ({
          endpoint_id,
          url: endpoints.get(endpoint_id) ?? null,
          failing_since: isoText(failing_since),
          reason
        })),
        held_up
      } satisfies OverviewResource
    })

    const answers = yield* Cache.makeWith(
      (key: string) => {
        const [merchantId, mode, days] = key.split(" ") as [string, Mode, string]
        return Effect.flatMap(merchants.find(merchantId), (merchant) => look(merchant, mode, Number(days)))
      },
      { capacity: rememberedMax, timeToLive: (exit) => (Exit.isSuccess(exit) ? rememberedFor : Duration.zero) }
    )

    return Overview.of({
      of: span("Overview.of")(function* (merchantId, mode, days) {
        return yield* Cache.get(answers, `${merchantId} ${mode} ${days}`)
      })
    })
  })
)

interface Counting extends Days {
  readonly now: DateTime.Utc
  /** The oldest first. */
  readonly days: ReadonlyArray<Day>
  /** The clock of the sandbox was moved: an advance writes rows of past times. */
  readonly isMoved: boolean
}

/** The newest days without a gap, as many as could be counted. */
const countDays = Effect.fnUntraced(function* (store: OverviewStore["Service"], counting: Counting) {
  const { days, isMoved, now, zone } = counting
  const millis = DateTime.toEpochMillis(now)
  const isOver = (day: Day) => !isMoved && startOf(dayAfter(day), zone) + Duration.toMillis(closedAfter) <= millis
  const kept = isMoved ? new Map<Day, Figures>() : yield* store.kept(counting, days[0]!)
  const found = new Map(kept)
  const missing = days.filter((day) => !kept.has(day)).toReversed()
  let rows = 0
  let most = 0
  for (let next = 0, size = 1; next < missing.length && rows < countedMax; next += size) {
    // The first day determines how many may be counted at once.
    size = next === 0 ? 1 : Math.max(1, Math.min(keptDays, Math.floor((countedMax - rows) / Math.max(1, most))))
    const counted = yield* store.count(counting, missing.slice(next, next + size))
    for (const [day, figures] of counted) {
      const own = rowsIn(figures)
      rows += own
      most = Math.max(most, own)
      found.set(day, figures)
    }
    const over = new Map([...counted].filter(([day]) => isOver(day)))
    yield* store.keep(counting, daysUntil(days.at(-1)!, keptDays)[0]!, over)
  }
  const gap = days.findLastIndex((day) => !found.has(day))
  return new Map(days.slice(gap + 1).map((day) => [day, found.get(day)!]))
})

const rowsIn = (figures: Figures): number =>
  Object.values(figures).reduce((sum, each) => sum + each.orders_created + each.orders_paid + each.refunds, 0)

interface Shown {
  readonly shown: ReadonlyArray<Day>
  readonly earlier: ReadonlyArray<Day>
  readonly counted: ReadonlyMap<Day, Figures>
  readonly hours: Hours
  readonly earlierHours: Hours
}

/** A currency without figures, and whose wallet was never used, is left out. */
const currencyView = (
  balance: OverviewResource["currencies"][number]["balance"],
  { counted, earlier, earlierHours, hours, shown }: Shown
): ReadonlyArray<OverviewResource["currencies"][number]> => {
  const { available_balance, currency, frozen_balance, total_revenue } = balance
  const figuresOf = (days: ReadonlyArray<Day>) =>
    days.flatMap((day) => {
      const figures = counted.get(day)
      return figures === undefined ? [] : [{ day, ...(figures[currency] ?? nothing) }]
    })
  const hoursIn = (all: Hours) => all.flatMap(({ currency: of, ...hour }) => (of === currency ? [hour] : []))
  const view = {
    currency,
    balance,
    days: figuresOf(shown),
    earlier: figuresOf(earlier),
    hours: hoursIn(hours),
    earlier_hours: hoursIn(earlierHours)
  }
  const isUsed = [available_balance, frozen_balance, total_revenue].some((amount) => amount !== 0)
  return isUsed || view.days.some(({ orders_created }) => orders_created > 0) ? [view] : []
}

const nothing = { orders_created: 0, orders_paid: 0, volume: 0, refunds: 0, refunded: 0 }

/** Addresses of the account's endpoints, by their numbers. */
const endpointsOf = ({ modes }: Merchant, mode: Mode): ReadonlyMap<string, string | null> => {
  const { default_endpoint, default_notify_url, webhooks } = modes[mode]
  return new Map<string, string | null>([
    ...webhooks.endpoints.map(({ id, url }) => [id, url] as const),
    ...(default_endpoint === null ? [] : [[default_endpoint.id, default_notify_url] as const])
  ])
}
