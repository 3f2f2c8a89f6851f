/**
 * Mistakes that a programmer could make, each as a few changes of the service's text while it is loaded
 * (`sources.ts`). They were written from the code that guards money, by somebody who had not read what the simulation
 * plays and checks, so that they do not aim at what it sees. A campaign has to find each (docs/simulation.md).
 */
import type { Change } from "../../../oracle/src/driver/changeSources.ts"

export interface Fault {
  /** What goes wrong, for whom. */
  readonly breaks: string
  readonly changes: ReadonlyArray<Change>
}

const fault = (
  breaks: string,
  ...changes: ReadonlyArray<readonly [file: string, from: string, to: string]>
): Fault => ({ breaks, changes: changes.map(([file, from, to]) => ({ file, from, to })) })

export const plantedFaults: Readonly<Record<string, Fault>> = {
  "a lost batch counts as written": fault(
    "A write whose commit was not answered is acknowledged, and may not be there.",
    ["/src/platform/commit/writeBatch.ts", '{ _tag: "Lost" } as const', "written"]
  ),
  "the reply comes before the commit": fault("A write is acknowledged that a crash or a lost session can still undo.", [
    "/src/platform/commit/writeBatch.ts",
    "for (const set of left) set.writing = true",
    `for (const set of left) {
        set.writing = true
        if (left.length === 1 && set.changes.some((change) => change.op === "update")) sets.succeed(set)
      }`
  ]),
  "no version is compared": fault("The second of two writers overwrites what the first has written.", [
    "/src/platform/commit/statements.ts",
    " and t.${columns[versionIndex]!.name} = n.replaces",
    ""
  ]),
  "an answer is not committed with its change": fault(
    "After a crash a repeated key is carried out again, and gets another answer.",
    [
      "/src/money/aggregate/WriteLoop.ts",
      "const kept = decision.refusal === undefined ? answer : undefined",
      "const kept = undefined as typeof answer"
    ]
  ),

  // Batches and the write loop ------------------------------------------------------
  "the changes of one batch are not compared": fault(
    "Of two changes of one object that come in one batch, decided on the same version, the first is lost.",
    [
      "/src/platform/commit/statements.ts",
      "return before.change.cells[tableOf(change.table).versionIndex] === change.replaces",
      "return true"
    ]
  ),
  "an unknown commit is made again": fault(
    "An object whose commit was not answered is made a second time under a new number.",
    [
      "/src/platform/commit/Change.ts",
      'failure instanceof NotCommitted && failure.reason === "overtaken"',
      'failure instanceof NotCommitted && (failure.reason === "overtaken" || failure.reason === "unknown")'
    ]
  ),
  "a remembered object refuses": fault(
    "A runner refuses by what it remembers of an object that another runner has changed since.",
    [
      "/src/money/aggregate/WriteLoop.ts",
      "if (hint !== undefined && (decision.refusal !== undefined || decision.events.length === 0)) {",
      "if (hint !== undefined && decision.refusal === undefined && decision.events.length === 0) {"
    ]
  ),
  "a refusal loses its facts": fault(
    "A payment that the bank reports while the merchant closes the order is not recorded with the refusal.",
    [
      "/src/money/aggregate/WriteLoop.ts",
      "const outcome = yield* Effect.result(commit(id, derived))",
      `if (decision.refusal !== undefined) return yield* Effect.fail(decision.refusal)
        const outcome = yield* Effect.result(commit(id, derived))`
    ]
  ),

  // Idempotency keys ----------------------------------------------------------------
  "a refused request keeps its key": fault(
    "A retry with the key of a request that failed is told for thirty seconds that the first is still running.",
    [
      "/src/shared/idempotency/Idempotency.ts",
      'Effect.onExit((exit) => faults.around("Idempotency.finish", finish(held, begun, exit)))',
      `Effect.onExit((exit) =>
            Exit.isFailure(exit) ? Effect.void : faults.around("Idempotency.finish", finish(held, begun, exit))
          )`
    ]
  ),
  "every first claim has version 1": fault(
    "The late end of one request frees the key while a later request with it is running.",
    ["/src/shared/idempotency/IdempotencyKeys.ts", "1 + Math.floor(chance * versionMax)", "1 + 0 * chance"]
  ),

  // Orders and payments -------------------------------------------------------------
  "a payment that is reported twice is a second one": fault(
    "A repeated report of the payment that paid the order sends the buyer's money back.",
    ["/packages/rules/src/order/decide.ts", '("paymentId" in order && order.paymentId === paymentId)', "false"]
  ),
  "a late payment is forgotten": fault(
    "A payment that comes after the order has expired is neither credited nor given back.",
    [
      "/packages/rules/src/order/decide.ts",
      `    case "expired":
      return [unapplied(facts, "late")]`,
      `    case "expired":
      return []`
    ]
  ),
  "an order expires without asking the bank": fault(
    "A payment in time that the bank has not reported yet comes too late, and the order stays expired.",
    [
      "/src/money/orders/endOrder.ts",
      "ReachDeadline.make({ now, answer })",
      "ReachDeadline.make({ now, answer: Cancelled.make({}) })"
    ]
  ),
  "a report that failed is acknowledged": fault(
    "The bank does not repeat the report of a payment that could not be recorded.",
    [
      "/src/channels/bank/SandboxBankJobs.ts",
      `Effect.andThen(
            Effect.flatMap(orders.byTradeNo(tradeNo)`,
      `Effect.ensuring(
            Effect.flatMap(orders.byTradeNo(tradeNo)`
    ]
  ),

  // Refunds -------------------------------------------------------------------------
  "a refund counts once the bank has answered": fault(
    "Two refunds of one order at the same time may add up to more than was paid.",
    [
      "/packages/rules/src/order/Order.ts",
      "amount - refundedAmount - refundingAmount - disputesLost",
      "amount - refundedAmount - 0 * refundingAmount - disputesLost"
    ]
  ),
  "the bank's lost answer counts as a refusal": fault(
    "A refund whose request to the bank was not answered is void here, and is paid to the buyer there.",
    ["/src/channels/bank/SandboxRefunds.ts", "Effect.catchIf(begun, isLost, () => Effect.void)", "begun"]
  ),
  "a lease is for ever": fault(
    "A refund that the bank had not decided when a worker asked, or whose worker died, stays pending.",
    [
      "/src/platform/postgres/leasedRows.ts",
      "${sql(dueAt)} = ${at} + ${leased} where",
      "${sql(dueAt)} = ${at} + interval '1 year' where"
    ]
  ),

  // Wallets and shards --------------------------------------------------------------
  "what is promised can be promised again": fault(
    "A refund or a payout is granted from money that was promised to another.",
    ["/packages/rules/src/wallet/post.ts", "number => available - reserved", "number => available"]
  ),
  "a wallet's version is a counter": fault(
    "After a wallet has moved, what its old owner decided on an entry that failed follows the new owner's entry.",
    [
      "/packages/rules/src/wallet/post.ts",
      "state = { ...state, version: versionOf(wallet, state, means) }",
      "state = { ...state, version: String(Number(wallet.version) + 1) }"
    ]
  ),
  "a wallet in memory refuses": fault(
    "A runner whose wallet is stale refuses a refund or a payout that the balance covers.",
    [
      "/src/money/wallets/Wallets.ts",
      "if (Result.isFailure(decide(stored, entry, { clock, now })))",
      "if (Result.isFailure(decide(wallet, entry, { clock, now })))"
    ]
  ),
  "a wallet keeps what was not written": fault(
    "After one entry that failed, all entries of the wallet fail on that runner.",
    [
      "/src/money/wallets/Wallets.ts",
      "Effect.sync(() => Cause.hasInterruptsOnly(cause) || wallets.forget(address, current))",
      "Effect.sync(() => Cause.hasInterruptsOnly(cause))"
    ]
  ),
  "a shard once owned is owned for ever": fault("A runner goes on deciding about objects that have moved to another.", [
    "/src/platform/cluster/owner.ts",
    "return (slot: number): boolean => slot in shards && sharding.hasShardId(shards[slot]!)",
    `const owned = new Set<number>()
  return (slot: number): boolean => {
    if (slot in shards && sharding.hasShardId(shards[slot]!)) owned.add(slot)
    return owned.has(slot)
  }`
  ]),

  // Disputes and payouts ------------------------------------------------------------
  "a dispute is lost twice": fault(
    "A loss that the bank reports twice takes the amount and the fee twice.",
    [
      "/packages/rules/src/dispute/decide.ts",
      `      return processorStatus === dispute.processorStatus
        ? accept()
        : accept(StatusNoted.make({ at, processorStatus, stage: "chargeback" }))`,
      "      return decided(dispute, DisputeLost.make({ at, fee, processorStatus }))"
    ],
    ["/packages/rules/src/dispute/decide.ts", "DisputeLost: open,", 'DisputeLost: [...open, "lost"],'],
    [
      "/packages/rules/src/dispute/decide.ts",
      "order: CloseDispute.make({ lost: amount }),",
      'order: before.status === "lost" ? undefined : CloseDispute.make({ lost: amount }),'
    ]
  ),
  "a dispute that is won leaves its order disputed": fault("After a dispute is won its order can never be refunded.", [
    "/packages/rules/src/dispute/decide.ts",
    `        order: CloseDispute.make({ lost: Minor.make(0) }),
`,
    ""
  ]),
  "a payout that fails gives nothing back": fault("The amount of a payout that the bank returns stays frozen.", [
    "/packages/rules/src/payout/Payout.ts",
    "PayoutFailed: (): Consequence => returned(payout)",
    "PayoutFailed: () => nothing"
  ]),
  "a payout that fails keeps its fee": fault(
    "The fee that was promised to a payout which was rejected or failed stays promised.",
    [
      "/packages/rules/src/payout/Payout.ts",
      `movements: [movement(payout, "payout_unfreeze", payout.amount)],
  reserve: 0 - payout.fee`,
      `movements: [movement(payout, "payout_unfreeze", payout.amount)],
  reserve: 0`
    ]
  ),

  // Payment links -------------------------------------------------------------------
  "a form that arrives twice makes two orders": fault(
    "A buyer whose button is sent twice at once gets two orders, and the link loses two uses.",
    ["/packages/rules/src/link/PaymentLink.ts", "if (repeatOf(link, visit) !== undefined) return accept()", ""]
  ),
  "a link's uses are counted before its owner has the visit": fault(
    "Visits at the same time make more orders than the link may.",
    [
      "/packages/rules/src/link/PaymentLink.ts",
      "const reason = closedBy(link, visit.at)",
      "const reason = closedBy({ ...link, maxUses: null }, visit.at)"
    ],
    [
      "/src/money/links/Links.ts",
      "const tradeNo = TradeNo.make(yield* ids.next(prefixes.tradeNo[link.mode]))",
      `if (link.maxUses !== null && link.usedCount >= link.maxUses) {
      return yield* new LinkClosed({ linkId: link.linkId, reason: "used_up" })
    }
    const tradeNo = TradeNo.make(yield* ids.next(prefixes.tradeNo[link.mode]))`
    ],
    ["/src/money/links/Links.ts", "  type LinkClosed,", "  LinkClosed,"]
  ),

  // Webhooks and workers ------------------------------------------------------------
  "a delivery is off the queue before it is sent": fault("A delivery whose runner dies is never sent again.", [
    "/src/webhooks/deliveries/DeliveryStore.ts",
    "update deliveries d set leased_until = ${DateTime.toDateUtc(leaseUntil)}",
    "update deliveries d set next_attempt_at = null, leased_until = ${DateTime.toDateUtc(leaseUntil)}"
  ]),
  "a delivery is leased for ever": fault("A delivery whose runner dies stays that runner's.", [
    "/src/webhooks/deliveries/DeliveryStore.ts",
    "sql`coalesce(leased_until, '-infinity') <= ${DateTime.toDateUtc(now)}`",
    "sql`leased_until is null and ${DateTime.toDateUtc(now)}::timestamptz is not null`"
  ]),
  "a redelivery is counted twice": fault("A receiver that fails gets half of the redeliveries.", [
    "/src/webhooks/deliveries/DeliveryStore.ts",
    "update deliveries d set leased_until = ${DateTime.toDateUtc(leaseUntil)}",
    "update deliveries d set attempts = d.attempts + 1, leased_until = ${DateTime.toDateUtc(leaseUntil)}"
  ]),
  "a refused webhook counts as delivered": fault("An event that its receiver refused with a 4xx is not sent again.", [
    "/src/webhooks/deliveries/postDelivery.ts",
    "outcome.status >= 200 && outcome.status < 300",
    "outcome.status >= 200 && outcome.status < 500"
  ]),
  "a worker sleeps until what it knows of": fault(
    "A row that another runner has committed waits until this worker's next row is due.",
    [
      "/src/platform/jobs/Workers.ts",
      "Math.max(now + sleepMillisMin, Math.min(latest, wanted))",
      "Math.max(now + sleepMillisMin, wanted)"
    ]
  ),

  // Reads, readiness, the end -------------------------------------------------------
  "a cache trusts what it cannot hear": fault(
    "A key that was reset works for a minute on a runner that does not hear changes.",
    [
      "/src/access/merchants/MerchantCache.ts",
      `listener.isProven()
`,
      `true
`
    ]
  ),
  "a list does not wait for batches": fault(
    "Who follows a list misses an object that is committed after a later one was shown.",
    ["/src/platform/postgres/ListHorizon.ts", "return (yield* waited(account)) ? upTo : undefined", "return upTo"]
  ),
  "a runner that Postgres refuses is ready": fault(
    "A load balancer sends requests to a runner that can answer none.",
    ["/src/door/edge/Health.ts", "results: refusing === undefined,", "results: true,"],
    ["/src/door/edge/Health.ts", "writes: transactor.stalledMillis() <= stalledMillisMax,", "writes: true,"]
  ),
  "a runner that stops is ready": fault("A load balancer sends requests to a runner that is about to close its port.", [
    "/src/door/edge/Health.ts",
    "accepting: !draining.now",
    "accepting: true"
  ]),
  "a stop drops what is in flight": fault(
    "A request that a runner had accepted before it was stopped in good order gets no answer.",
    ["/src/door/edge/HttpServer.ts", "export const drainMillis = 3_000", "export const drainMillis = 0"]
  )
}
