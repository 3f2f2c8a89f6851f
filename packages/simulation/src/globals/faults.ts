/**
 * Mistakes that a programmer could make, each as a few changes of the service's text while it is loaded
 * (`sources.ts`). They were written from the code that guards money, by somebody who had not read what the simulation
 * plays and checks, so that they do not aim at what it sees. A campaign has to find each (docs/simulation.md).
 */

/** In every file whose address ends like this, each `from` becomes `to`. */
export interface Change {
  readonly file: string
  readonly from: string
  readonly to: string
}

export interface Fault {
  /** What goes wrong, for whom. */
  readonly breaks: string
  readonly changes: ReadonlyArray<Change>
}

const commit = "/src/platform/commit"
const rules = "/packages/rules/src"

export const plantedFaults: Readonly<Record<string, Fault>> = {
  "a lost batch counts as written": {
    breaks: "A write whose commit was not answered is acknowledged, and may not be there.",
    changes: [
      { file: `${commit}/writeBatch.ts`, from: '{ _tag: "NotNow", reason: "unknown" } as const', to: "written" }
    ]
  },
  "the reply comes before the commit": {
    breaks: "A write is acknowledged that a crash or a lost session can still undo.",
    changes: [
      {
        file: `${commit}/writeBatch.ts`,
        from: "for (const set of left) set.writing = true",
        to: `for (const set of left) {
        set.writing = true
        if (left.length === 1 && set.changes.some((change) => change.op === "update")) sets.succeed(set)
      }`
      }
    ]
  },
  "no version is compared": {
    breaks: "The second of two writers overwrites what the first has written.",
    changes: [
      {
        file: `${commit}/statements.ts`,
        from: " and t.${columns[versionIndex]!.name} = n.replaces",
        to: ""
      }
    ]
  },
  "an answer is not committed with its change": {
    breaks: "After a crash a repeated key is carried out again, and gets another answer.",
    changes: [
      {
        file: "/src/money/aggregate/WriteLoop.ts",
        from: "const kept = decision.refusal === undefined ? answer : undefined",
        to: "const kept = undefined as typeof answer"
      }
    ]
  },

  // Batches and the write loop ------------------------------------------------------
  "the changes of one batch are not compared": {
    breaks: "Of two changes of one object that come in one batch, decided on the same version, the first is lost.",
    changes: [
      {
        file: `${commit}/statements.ts`,
        from: "return before.change.cells[tableOf(change.table).versionIndex] === change.replaces",
        to: "return true"
      }
    ]
  },
  "an unknown commit is made again": {
    breaks: "An object whose commit was not answered is made a second time under a new number.",
    changes: [
      {
        file: `${commit}/Change.ts`,
        from: 'failure instanceof NotCommitted && failure.reason === "overtaken"',
        to: 'failure instanceof NotCommitted && (failure.reason === "overtaken" || failure.reason === "unknown")'
      }
    ]
  },
  "a remembered object refuses": {
    breaks: "A runner refuses by what it remembers of an object that another runner has changed since.",
    changes: [
      {
        file: "/src/money/aggregate/WriteLoop.ts",
        from: "if (hint !== undefined && (decision.refusal !== undefined || decision.events.length === 0)) {",
        to: "if (hint !== undefined && decision.refusal === undefined && decision.events.length === 0) {"
      }
    ]
  },
  "a refusal loses its facts": {
    breaks: "A payment that the bank reports while the merchant closes the order is not recorded with the refusal.",
    changes: [
      {
        file: "/src/money/aggregate/WriteLoop.ts",
        from: "const outcome = yield* Effect.result(commit(id, derived))",
        to: `if (decision.refusal !== undefined) return yield* Effect.fail(decision.refusal)
        const outcome = yield* Effect.result(commit(id, derived))`
      }
    ]
  },

  // Idempotency keys ----------------------------------------------------------------
  "a refused request keeps its key": {
    breaks: "A retry with the key of a request that failed is told for thirty seconds that the first is still running.",
    changes: [
      {
        file: "/src/shared/idempotency/Idempotency.ts",
        from: 'Effect.onExit((exit) => faults.around("Idempotency.finish", finish(held, begun, exit)))',
        to: `Effect.onExit((exit) =>
            Exit.isFailure(exit) ? Effect.void : faults.around("Idempotency.finish", finish(held, begun, exit))
          )`
      }
    ]
  },
  "every first claim has version 1": {
    breaks: "The late end of one request frees the key while a later request with it is running.",
    changes: [
      {
        file: "/src/shared/idempotency/IdempotencyKeys.ts",
        from: "1 + Math.floor(chance * versionMax)",
        to: "1 + 0 * chance"
      }
    ]
  },

  // Orders and payments -------------------------------------------------------------
  "a payment that is reported twice is a second one": {
    breaks: "A repeated report of the payment that paid the order sends the buyer's money back.",
    changes: [
      {
        file: `${rules}/order/decide.ts`,
        from: '("paymentId" in order && order.paymentId === paymentId)',
        to: "false"
      }
    ]
  },
  "a late payment is forgotten": {
    breaks: "A payment that comes after the order has expired is neither credited nor given back.",
    changes: [
      {
        file: `${rules}/order/decide.ts`,
        from: `    case "expired":
      return [unapplied(facts, "late")]`,
        to: `    case "expired":
      return []`
      }
    ]
  },
  "an order expires without asking the bank": {
    breaks: "A payment in time that the bank has not reported yet comes too late, and the order stays expired.",
    changes: [
      {
        file: "/src/money/orders/Orders.ts",
        from: "ReachDeadline.make({ now, answer })",
        to: "ReachDeadline.make({ now, answer: Cancelled.make({}) })"
      }
    ]
  },
  "a report that failed is acknowledged": {
    breaks: "The bank does not repeat the report of a payment that could not be recorded.",
    changes: [
      {
        file: "/src/channels/bank/SandboxBankJobs.ts",
        from: `Effect.andThen(
            Effect.flatMap(orders.byTradeNo(tradeNo)`,
        to: `Effect.ensuring(
            Effect.flatMap(orders.byTradeNo(tradeNo)`
      }
    ]
  },

  // Refunds -------------------------------------------------------------------------
  "a refund counts once the bank has answered": {
    breaks: "Two refunds of one order at the same time may add up to more than was paid.",
    changes: [
      {
        file: `${rules}/order/Order.ts`,
        from: "amount - refundedAmount - refundingAmount - disputesLost",
        to: "amount - refundedAmount - 0 * refundingAmount - disputesLost"
      }
    ]
  },
  "the bank's lost answer counts as a refusal": {
    breaks: "A refund whose request to the bank was not answered is void here, and is paid to the buyer there.",
    changes: [
      {
        file: "/src/channels/bank/SandboxRefunds.ts",
        from: "Effect.catchIf(begun, isLost, () => Effect.void)",
        to: "begun"
      }
    ]
  },
  "a lease is for ever": {
    breaks: "A refund that the bank had not decided when a worker asked, or whose worker died, stays pending.",
    changes: [
      {
        file: "/src/platform/postgres/leasedRows.ts",
        from: "${sql(dueAt)} = ${at} + ${leased} where",
        to: "${sql(dueAt)} = ${at} + interval '1 year' where"
      }
    ]
  },

  // Wallets and shards --------------------------------------------------------------
  "what is promised can be promised again": {
    breaks: "A refund or a payout is granted from money that was promised to another.",
    changes: [{ file: `${rules}/wallet/post.ts`, from: "number => available - reserved", to: "number => available" }]
  },
  "a wallet's version is a counter": {
    breaks:
      "After a wallet has moved, what its old owner decided on an entry that failed follows the new owner's entry.",
    changes: [
      {
        file: `${rules}/wallet/post.ts`,
        from: "state = { ...state, version: versionOf(wallet, state, means) }",
        to: "state = { ...state, version: String(Number(wallet.version) + 1) }"
      }
    ]
  },
  "a wallet in memory refuses": {
    breaks: "A runner whose wallet is stale refuses a refund or a payout that the balance covers.",
    changes: [
      {
        file: "/src/money/wallets/Wallets.ts",
        from: "if (Result.isFailure(decide(stored, entry, { clock, now })))",
        to: "if (Result.isFailure(decide(wallet, entry, { clock, now })))"
      }
    ]
  },
  "a wallet keeps what was not written": {
    breaks: "After one entry that failed, all entries of the wallet fail on that runner.",
    changes: [
      {
        file: "/src/money/wallets/Wallets.ts",
        from: "Effect.sync(() => Cause.hasInterruptsOnly(cause) || wallets.forget(address, current))",
        to: "Effect.sync(() => Cause.hasInterruptsOnly(cause))"
      }
    ]
  },
  "a shard once owned is owned for ever": {
    breaks: "A runner goes on deciding about objects that have moved to another.",
    changes: [
      {
        file: "/src/platform/cluster/owner.ts",
        from: "return (slot: number): boolean => slot in shards && sharding.hasShardId(shards[slot]!)",
        to: `const owned = new Set<number>()
  return (slot: number): boolean => {
    if (slot in shards && sharding.hasShardId(shards[slot]!)) owned.add(slot)
    return owned.has(slot)
  }`
      }
    ]
  },

  // Disputes and payouts ------------------------------------------------------------
  "a dispute is lost twice": {
    breaks: "A loss that the bank reports twice takes the amount and the fee twice.",
    changes: [
      {
        file: `${rules}/dispute/decide.ts`,
        from: `      return processorStatus === dispute.processorStatus
        ? accept()
        : accept(StatusNoted.make({ at, processorStatus, stage: "chargeback" }))`,
        to: `      return decided(dispute, DisputeLost.make({ at, fee, processorStatus }))`
      },
      { file: `${rules}/dispute/decide.ts`, from: "DisputeLost: open,", to: 'DisputeLost: [...open, "lost"],' },
      {
        file: `${rules}/dispute/decide.ts`,
        from: "order: CloseDispute.make({ lost: amount }),",
        to: 'order: before.status === "lost" ? undefined : CloseDispute.make({ lost: amount }),'
      }
    ]
  },
  "a dispute that is won leaves its order disputed": {
    breaks: "After a dispute is won its order can never be refunded.",
    changes: [
      {
        file: `${rules}/dispute/decide.ts`,
        from: "        order: CloseDispute.make({ lost: Minor.make(0) }),\n",
        to: ""
      }
    ]
  },
  "a payout that fails gives nothing back": {
    breaks: "The amount of a payout that the bank returns stays frozen.",
    changes: [
      {
        file: `${rules}/payout/Payout.ts`,
        from: "PayoutFailed: (): Consequence => returned(payout)",
        to: "PayoutFailed: () => nothing"
      }
    ]
  },
  "a payout that fails keeps its fee": {
    breaks: "The fee that was promised to a payout which was rejected or failed stays promised.",
    changes: [
      {
        file: `${rules}/payout/Payout.ts`,
        from: `movements: [movement(payout, "payout_unfreeze", payout.amount)],
  reserve: 0 - payout.fee`,
        to: `movements: [movement(payout, "payout_unfreeze", payout.amount)],
  reserve: 0`
      }
    ]
  },

  // Payment links -------------------------------------------------------------------
  "a form that arrives twice makes two orders": {
    breaks: "A buyer whose button is sent twice at once gets two orders, and the link loses two uses.",
    changes: [
      {
        file: `${rules}/link/PaymentLink.ts`,
        from: "if (repeatOf(link, visit) !== undefined) return accept()",
        to: ""
      }
    ]
  },
  "a link's uses are counted before its owner has the visit": {
    breaks: "Visits at the same time make more orders than the link may.",
    changes: [
      {
        file: `${rules}/link/PaymentLink.ts`,
        from: "const reason = closedBy(link, visit.at)",
        to: "const reason = closedBy({ ...link, maxUses: null }, visit.at)"
      },
      {
        file: "/src/money/links/Links.ts",
        from: "const tradeNo = TradeNo.make(yield* ids.next(prefixes.tradeNo[link.mode]))",
        to: `if (link.maxUses !== null && link.usedCount >= link.maxUses) {
      return yield* new LinkClosed({ linkId: link.linkId, reason: "used_up" })
    }
    const tradeNo = TradeNo.make(yield* ids.next(prefixes.tradeNo[link.mode]))`
      },
      { file: "/src/money/links/Links.ts", from: "  type LinkClosed,", to: "  LinkClosed," }
    ]
  },

  // Webhooks and workers ------------------------------------------------------------
  "a delivery is off the queue before it is sent": {
    breaks: "A delivery whose runner dies is never sent again.",
    changes: [
      {
        file: "/src/webhooks/deliveries/DeliveryStore.ts",
        from: "update deliveries d set leased_until = ${DateTime.toDateUtc(leaseUntil)}",
        to: "update deliveries d set next_attempt_at = null, leased_until = ${DateTime.toDateUtc(leaseUntil)}"
      }
    ]
  },
  "a delivery is leased for ever": {
    breaks: "A delivery whose runner dies stays that runner's.",
    changes: [
      {
        file: "/src/webhooks/deliveries/DeliveryStore.ts",
        from: "sql`coalesce(leased_until, '-infinity') <= ${DateTime.toDateUtc(now)}`",
        to: "sql`leased_until is null and ${DateTime.toDateUtc(now)}::timestamptz is not null`"
      }
    ]
  },
  "a redelivery is counted twice": {
    breaks: "A receiver that fails gets half of the redeliveries.",
    changes: [
      {
        file: "/src/webhooks/deliveries/DeliveryStore.ts",
        from: "update deliveries d set leased_until = ${DateTime.toDateUtc(leaseUntil)}",
        to: "update deliveries d set attempts = d.attempts + 1, leased_until = ${DateTime.toDateUtc(leaseUntil)}"
      }
    ]
  },
  "a refused webhook counts as delivered": {
    breaks: "An event that its receiver refused with a 4xx is not sent again.",
    changes: [
      {
        file: "/src/webhooks/deliveries/postDelivery.ts",
        from: "outcome.status >= 200 && outcome.status < 300",
        to: "outcome.status >= 200 && outcome.status < 500"
      }
    ]
  },
  "a worker sleeps until what it knows of": {
    breaks: "A row that another runner has committed waits until this worker's next row is due.",
    changes: [
      {
        file: "/src/platform/jobs/Workers.ts",
        from: "Math.max(now + sleepMillisMin, Math.min(latest, wanted))",
        to: "Math.max(now + sleepMillisMin, wanted)"
      }
    ]
  },

  // Reads, readiness, the end -------------------------------------------------------
  "a cache trusts what it cannot hear": {
    breaks: "A key that was reset works for a minute on a runner that does not hear changes.",
    changes: [{ file: "/src/access/merchants/MerchantCache.ts", from: "listener.isProven()\n", to: "true\n" }]
  },
  "a list does not wait for batches": {
    breaks: "Who follows a list misses an object that is committed after a later one was shown.",
    changes: [
      {
        file: "/src/platform/postgres/ListHorizon.ts",
        from: "return (yield* waited(account)) ? upTo : undefined",
        to: "return upTo"
      }
    ]
  },
  "a runner that Postgres refuses is ready": {
    breaks: "A load balancer sends requests to a runner that can answer none.",
    changes: [
      { file: "/src/door/edge/Health.ts", from: "results: refusing === undefined,", to: "results: true," },
      {
        file: "/src/door/edge/Health.ts",
        from: "writes: transactor.stalledMillis() <= stalledMillisMax,",
        to: "writes: true,"
      }
    ]
  },
  "a runner that stops is ready": {
    breaks: "A load balancer sends requests to a runner that is about to close its port.",
    changes: [{ file: "/src/door/edge/Health.ts", from: "accepting: !draining.now", to: "accepting: true" }]
  },
  "a stop drops what is in flight": {
    breaks: "A request that a runner had accepted before it was stopped in good order gets no answer.",
    changes: [
      {
        file: "/src/door/edge/HttpServer.ts",
        from: "export const drainMillis = 3_000",
        to: "export const drainMillis = 0"
      }
    ]
  }
}
