/** `coffer payouts`: for operators, applies a step to many payouts. Repeating a step changes nothing. */
import { Effect, Option, Predicate, Schedule } from "effect"
import { Command, Flag } from "effect/cli"
import { type Bulk, done, dryRun, inBulk, type Outcome, outcomeOf, rate } from "./bulk.ts"
import { type CliFailure, failed } from "./CliFailure.ts"
import { count as whole, text } from "./flags.ts"
import { operatorCommand } from "./frame.ts"
import { withoutNone, sinceOf } from "./withoutNone.ts"
import type { Held } from "./held.ts"
import { connectOperator, pager, type Operator } from "./operatorClient.ts"
import { type Column, money, time } from "./output.ts"
import { pageMax } from "./printList.ts"

/** The state that it needs, and its description. */
const steps = {
  approve: { from: "requested", acted: "approved", does: "Approve requested payouts" },
  reject: {
    from: "requested",
    acted: "rejected",
    does: "Reject requested payouts; their amounts become available again"
  },
  complete: {
    from: "approved",
    acted: "completed",
    does: "Mark approved payouts as paid; fees are charged"
  },
  fail: {
    from: "approved",
    acted: "marked as failed",
    does: "Mark approved payouts as failed; their amounts become available again"
  }
} as const

const stepsMax = 10_000
const perSecond = 10

const columns: ReadonlyArray<Column<Held>> = [
  { title: "ID", of: ({ id }) => id },
  { title: "STATUS", of: ({ status }) => status },
  { title: "MERCHANT", of: ({ merchant_id }) => merchant_id },
  { title: "AMOUNT", of: ({ amount, currency }) => money(amount, currency ?? "") },
  { title: "SINCE", of: ({ since }) => time(since) }
]

const step = <const Name extends keyof typeof steps>(name: Name) =>
  operatorCommand(
    name,
    { does: steps[name].does, example: `coffer payouts ${name} --mode live --merchant mer_…` },
    {
      mode: Flag.Literals("mode", ["sandbox", "live"]).pipe(Flag.withDescription("The environment")),
      merchant: text("merchant", "Payouts of this merchant"),
      all: Flag.Boolean("all").pipe(Flag.withDefault(false), Flag.withDescription("Payouts of all merchants")),
      since: Flag.String("since").pipe(
        Flag.optional,
        Flag.withDescription("Only requested since 30s, 15m, 2h or 7d ago, or a time")
      ),
      limit: whole("limit", [1, stepsMax], stepsMax, "Maximum number"),
      rate,
      dryRun
    },
    Effect.fnUntraced(function* ({ all, dryRun, limit, merchant, mode, rate, since }) {
      if (all === Option.isSome(merchant)) {
        return yield* failed("no_filter", "Whose payouts?", "use either --merchant or --all, not both", 2)
      }
      const operator = yield* connectOperator
      const whose = withoutNone({ merchant_id: merchant })
      const now = operator.nowOf(whose.merchant_id, mode)
      const created = Option.isSome(since) ? { "created[gte]": yield* sinceOf(since.value, now) } : {}
      const query = { ...whose, ...created, kind: "payout", mode }
      const waiting = (yield* listHeld(operator, query)).filter(({ status }) => status === steps[name].from)
      const bulk: Bulk<Held> = {
        called: "payouts",
        acted: steps[name].acted,
        idOf: ({ id }) => id,
        columns,
        act: ({ id }) => take(operator, `/payouts/${id}/${name}`)
      }
      yield* inBulk(bulk, waiting.slice(0, limit), { dryRun, perSecond: Option.getOrElse(rate, () => perSecond) })
    })
  )

/** Oldest first. */
const listHeld = Effect.fnUntraced(function* (operator: Operator, query: Readonly<Record<string, string>>) {
  const next = pager<Held>(operator, "/held_up", query, ({ id }) => id)
  const found: Array<Held> = []
  for (;;) {
    const some = yield* next(pageMax)
    if (some.length === 0) return found.toReversed()
    found.push(...some)
  }
})

/** A repeated step returns the unchanged payout, so a step whose answer is lost is retried. */
const take = (operator: Operator, path: string): Effect.Effect<Outcome, CliFailure> => {
  const call = Effect.retry(operator.post(path), {
    while: ({ isPassing }) => isPassing,
    times: 4,
    schedule: Schedule.exponential("500 millis")
  })
  return outcomeOf(call, "payout_not_found", (answer) =>
    Predicate.hasProperty(answer, "object") && answer.object === "approval"
      ? { outcome: "waiting", problem: "another operator has to run the same command within a day" }
      : done
  )
}

export const payoutsCommand = Command.make("payouts").pipe(
  Command.withDescription("Process payouts in bulk: approve, reject, complete, fail"),
  Command.withSubcommands([step("approve"), step("reject"), step("complete"), step("fail")])
)
