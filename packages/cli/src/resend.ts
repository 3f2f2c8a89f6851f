/**
 * `coffer deliveries resend`: resends failed deliveries, of a merchant with its key, or of any merchant with an
 * operator's token. A delivery that was resent since is skipped, so an interrupted run can be repeated.
 */
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import type { WebhookDelivery } from "../../sdk/src/index.ts"
import { type Bulk, done, dryRun, inBulk, type Outcome, outcomeOf, rate } from "./bulk.ts"
import { type CliFailure, failed } from "./CliFailure.ts"
import { connect, connectToWrite } from "./client.ts"
import { deliveryColumns } from "./deliveryColumns.ts"
import { count as whole, oneOf, text } from "./flags.ts"
import { anybodysCommand } from "./frame.ts"
import { withoutNone, sinceOf } from "./withoutNone.ts"
import { connectOperator, pager } from "./operatorClient.ts"
import { progress } from "./progress.ts"
import { pageMax } from "./printList.ts"
import { mergeLists } from "./resource.ts"

const resendMax = 10_000

/** Half of a merchant's write limit, so that its shop keeps working, and a load that receivers can bear. */
const perSecond = { merchant: 1, operator: 10 }

/** Finds deliveries and resends them. */
interface Sender {
  readonly next: (countMax: number) => Effect.Effect<ReadonlyArray<WebhookDelivery>, CliFailure>
  readonly act: (delivery: WebhookDelivery) => Effect.Effect<Outcome, CliFailure>
  readonly perSecond: number
}

export const resend = anybodysCommand(
  "resend",
  {
    does: "Resend deliveries: one attempt each, of the same event. Events delivered since are skipped",
    example: "coffer deliveries resend --failed --since 2h"
  },
  {
    failed: Flag.Boolean("failed").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Deliveries whose attempts have all failed")
    ),
    since: Flag.String("since").pipe(Flag.withDescription("Only created since 30s, 15m, 2h or 7d ago, or a time")),
    endpointId: text("endpoint-id", "Only deliveries to this endpoint"),
    merchant: text("merchant", "Deliveries of this merchant, with an operator token"),
    mode: oneOf("mode", ["sandbox", "live"], "With --merchant: the environment"),
    limit: whole("limit", [1, resendMax], resendMax, "Maximum number"),
    rate,
    dryRun
  },
  Effect.fnUntraced(function* ({ dryRun, endpointId, failed: onlyFailed, limit, merchant, mode, rate, since }) {
    if (!onlyFailed)
      return yield* failed("no_filter", "Which deliveries?", "add --failed, which sends again what did not arrive", 2)
    if (Option.isSome(merchant) !== Option.isSome(mode)) {
      return yield* failed("half_a_merchant", "Whose deliveries?", "use both --merchant and --mode, or neither", 2)
    }
    const query = { ...withoutNone({ endpoint_id: endpointId }), since }
    const sender = Option.isSome(merchant)
      ? yield* byOperator(merchant.value, Option.getOrThrow(mode), query)
      : yield* byMerchant(query, dryRun)
    const bulk: Bulk<WebhookDelivery> = {
      called: "deliveries",
      acted: "resent",
      idOf: ({ id }) => id,
      columns: deliveryColumns,
      act: sender.act
    }
    const chosen = (yield* failedOf(sender)).slice(0, limit)
    yield* inBulk(bulk, chosen, { dryRun, perSecond: Option.getOrElse(rate, () => sender.perSecond) })
  })
)

interface Query {
  readonly since: string
  readonly endpoint_id?: string
}

/** Identifies a receiver and an event: only the newest such delivery counts. */
const wayOf = ({ endpoint_id, event_id, url }: WebhookDelivery) => `${event_id} ${endpoint_id ?? url}`

/** Oldest first, as they would have come. */
const failedOf = Effect.fnUntraced(function* ({ next }: Sender) {
  const report = yield* progress()
  const chosen: Array<WebhookDelivery> = []
  const judged = new Set<string>()
  let total = 0
  for (;;) {
    const some = yield* next(pageMax)
    if (some.length === 0) break
    for (const delivery of some) {
      const way = wayOf(delivery)
      if (!judged.has(way) && delivery.status === "failed") chosen.push(delivery)
      judged.add(way)
    }
    total += some.length
    yield* report(total)
  }
  return chosen.toReversed()
})

/** Writes have a limit per minute; further ones wait as long as the service says. */
const untilLetIn = { maxRetries: 20, deadlineMs: 600_000 }

const byMerchant = Effect.fnUntraced(function* ({ since, ...query }: Query, isDry: boolean) {
  const client = yield* isDry ? connect() : connectToWrite()
  const created = { gte: yield* sinceOf(since, client.now) }
  const list = client.coffer.webhookDeliveries.list({ ...query, created, limit: pageMax })
  const sender: Sender = {
    next: mergeLists(client, [list], ({ id }) => id),
    perSecond: perSecond.merchant,
    // With its own idempotency key, so that a rerun after an interruption sends nothing twice.
    act: ({ id }) =>
      outcomeOfSending(
        client.ask((coffer) =>
          coffer.webhookDeliveries.resend(id, { ...untilLetIn, idempotencyKey: `coffer-cli-resend-${id}` })
        )
      )
  }
  return sender
})

const byOperator = Effect.fnUntraced(function* (merchant: string, mode: string, { since, ...query }: Query) {
  const operator = yield* connectOperator
  const created = { "created[gte]": yield* sinceOf(since, operator.nowOf(merchant, mode)) }
  const path = `/merchants/${encodeURIComponent(merchant)}/webhook_deliveries`
  const idOf = ({ id }: WebhookDelivery) => id
  /** Whether the event was resent, or has arrived. */
  const isOvertaken = (delivery: WebhookDelivery) =>
    Effect.map(pager(operator, path, { mode, event_id: delivery.event_id }, idOf)(pageMax), (deliveries) =>
      deliveries.some((one) => wayOf(one) === wayOf(delivery) && one.id > delivery.id)
    )
  const sender: Sender = {
    next: pager(operator, path, { ...query, ...created, mode }, idOf),
    perSecond: perSecond.operator,
    // The operator API has no Idempotency-Key: after a lost answer the resend is looked up, not repeated.
    act: Effect.fnUntraced(function* (delivery) {
      if (yield* isOvertaken(delivery)) return { outcome: "skipped", problem: "it was already resent" }
      return yield* outcomeOfSending(operator.post(`/webhook_deliveries/${delivery.id}/resend`)).pipe(
        Effect.catchIf(
          ({ isPassing }) => isPassing,
          (failure) =>
            Effect.map(isOvertaken(delivery), (isSent): Outcome =>
              isSent ? done : { outcome: "unknown", problem: `no response (${failure.code}), and it was not retried` }
            )
        )
      )
    })
  }
  return sender
})

const outcomeOfSending = (sending: Effect.Effect<unknown, CliFailure>) => outcomeOf(sending, "delivery_not_found")
