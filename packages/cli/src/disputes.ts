/** `coffer disputes`: what buyers' banks take back. They open them, so there is no `create`. */
import { disputes as declared } from "@coffer/resources/returns"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Dispute } from "../../sdk/src/index.ts"
import { connect } from "./client.ts"
import { columnsOf, filtersOf } from "./declared.ts"
import { exportCommand } from "./exported.ts"
import { command } from "./frame.ts"
import { withoutNone } from "./withoutNone.ts"
import { printObject } from "./output.ts"
import { actsOn, getCommand, listCommand, tailCommand, type Tailed } from "./resource.ts"

const filters = filtersOf(declared)

const disputes: Tailed<Dispute, typeof filters> = {
  called: "disputes",
  idOf: ({ dispute_no }) => dispute_no,
  columns: columnsOf(declared),
  filters,
  list: (coffer, cursors, flags) => [coffer.disputes.list({ ...cursors, ...withoutNone(flags) })],
  followed: ({ disputes }, flags) => [(after, options) => disputes.follow({ after, ...withoutNone(flags) }, options)]
}

const disputeNo = Argument.String("dispute-no")

const actCommand = actsOn(disputeNo)

const submit = actCommand(
  "submit",
  {
    does: "Respond to a dispute with evidence. Nothing can be added after submitting",
    example: "dsp_… --evidence product_description='Two books' --evidence customer_name='A. Buyer'"
  },
  {
    evidence: Flag.KeyValuePair("evidence").pipe(
      Flag.optional,
      Flag.withDescription("field=text, repeatable: product_description, customer_name, shipping_date, …")
    ),
    draft: Flag.Boolean("draft").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Save as a draft, without submitting to the bank")
    )
  },
  ({ disputes }, no, { draft, evidence }) =>
    disputes.submitEvidence(no, { ...withoutNone({ evidence }), submit: !draft })
)

const accept = actCommand(
  "accept",
  { does: "Accept a dispute: the buyer keeps the funds", example: "dsp_…" },
  {},
  ({ disputes }, no) => disputes.accept(no)
)

const resolve = actCommand(
  "resolve",
  { does: "Resolve a sandbox dispute as the bank", example: "dsp_… --outcome won" },
  {
    outcome: Flag.Literals("outcome", ["won", "lost", "closed"]).pipe(
      Flag.withDescription("Outcome for you: won, lost or closed (withdrawn)")
    )
  },
  ({ testHelpers }, no, { outcome }) => testHelpers.disputes.resolve(no, { outcome })
)

const evidence = command(
  "evidence",
  { does: "Print the evidence of a dispute", example: "dsp_…" },
  { disputeNo },
  ({ disputeNo }) =>
    Effect.gen(function* () {
      const { ask } = yield* connect()
      yield* printObject(yield* ask(({ disputes }) => disputes.getEvidence(disputeNo)))
    })
)

export const disputesCommand = Command.make("disputes").pipe(
  Command.withDescription("Disputes: get, list, tail, evidence, submit, accept, resolve, export"),
  Command.withSubcommands([
    getCommand("disputes", "dispute-no", (coffer, ref) => coffer.disputes.get(ref)),
    listCommand(disputes),
    tailCommand(disputes),
    evidence,
    submit,
    accept,
    resolve,
    exportCommand("disputes", filters, (coffer, created, flags) =>
      coffer.disputes.csv({ ...created, ...withoutNone(flags) })
    )
  ])
)
