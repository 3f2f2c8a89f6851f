/** `coffer held-up`: for an operator, objects that need attention, newest first. */
import { Console, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { count as whole, oneOf, text } from "./flags.ts"
import { json, operatorCommand } from "./frame.ts"
import { withoutNone, sinceOf } from "./withoutNone.ts"
import { type Held, heldKinds } from "./held.ts"
import { connectOperator, pager } from "./operatorClient.ts"
import { type Column, count, money, time } from "./output.ts"
import { printList } from "./printList.ts"

const rowsDefault = 20
const rowsMax = 1_000_000

const columns: ReadonlyArray<Column<Held>> = [
  { title: "SINCE", of: ({ since }) => time(since) },
  { title: "KIND", of: ({ kind }) => kind },
  { title: "ID", of: ({ id }) => id },
  { title: "MERCHANT", of: ({ merchant_id }) => merchant_id },
  { title: "MODE", of: ({ mode }) => mode },
  { title: "STATUS", of: ({ status }) => status, isStatus: true },
  { title: "AMOUNT", of: ({ amount, currency }) => money(amount, currency ?? "") },
  { title: "DUE BY", of: ({ due_by }) => time(due_by) },
  { title: "TRIES", of: ({ attempts }) => (attempts === null ? "-" : String(attempts)) },
  { title: "NEXT", of: ({ next_attempt_at }) => time(next_attempt_at) },
  { title: "LAST ERROR", of: ({ last_error }) => last_error ?? "-" },
  { title: "WAITING FOR", of: ({ text }) => text }
]

export const needsAttentionCommand = operatorCommand(
  "held-up",
  {
    does: "List objects that need attention, newest first",
    example: "coffer held-up --kind delivery --since 1d"
  },
  {
    kind: oneOf("kind", heldKinds, "Only this kind"),
    merchant: text("merchant", "Only this merchant"),
    mode: oneOf("mode", ["sandbox", "live"], "Only this environment"),
    since: Flag.String("since").pipe(
      Flag.optional,
      Flag.withDescription("Only created since 30s, 15m, 2h or 7d ago, or 2026-11-23T06:00:00Z")
    ),
    limit: whole("limit", [1, rowsMax], rowsDefault, "Maximum number")
  },
  Effect.fnUntraced(function* ({ kind, limit, merchant, mode, since }) {
    const operator = yield* connectOperator
    const filters = withoutNone({ kind, merchant_id: merchant, mode })
    const now = operator.nowOf(filters.merchant_id, filters.mode)
    const created = Option.isSome(since) ? { "created[gte]": yield* sinceOf(since.value, now) } : {}
    const query = { ...filters, ...created }
    const next = pager<Held>(operator, "/held_up", query, ({ id }) => id)
    yield* printList(columns, limit, next)
    if (yield* json) return
    const { counts } = (yield* operator.get("/held_up", { ...query, limit: 1 })) as Counted
    const parts = heldKinds.filter((kind) => counts[kind] > 0).map((kind) => `${count(counts[kind])} ${words[kind]}`)
    yield* Console.error(parts.length === 0 ? "Nothing needs attention." : `Needs attention: ${parts.join(", ")}.`)
  })
)

interface Counted {
  readonly counts: Readonly<Record<Held["kind"], number>>
}

const words = {
  stray_session: "unknown Stripe sessions",
  refund: "refunds",
  hold: "holds",
  dispute: "disputes",
  payout: "payouts",
  delivery: "deliveries",
  unapplied_payment: "unmatched payments",
  mail: "emails",
  report: "reports"
}
