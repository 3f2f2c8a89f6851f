/** `coffer deliveries`: each event on its way to each address; and many of them sent again at once. */
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { WebhookDelivery } from "../../sdk/src/index.ts"
import { CliFailure, failed, Said } from "./CliFailure.ts"
import { type Client, connect } from "./client.ts"
import { count as whole, oneOf, text } from "./flags.ts"
import { command, json } from "./frame.ts"
import { given, sinceOf } from "./given.ts"
import { jsonText } from "./json.ts"
import { count, time } from "./output.ts"
import { progress } from "./progress.ts"
import { getCommand, listCommand, merged, pageMax, type Resource, tailCommand } from "./resource.ts"

const filters = {
  status: oneOf("status", ["pending", "succeeded", "failed", "skipped"], "Only in this state"),
  eventId: text("event-id", "Only those of this event"),
  endpointId: text("endpoint-id", "Only those to this endpoint")
}

const lastAnswerOf = ({ attempts }: WebhookDelivery): string => {
  const last = attempts.at(-1)
  return last === undefined ? "-" : String(last.status_code ?? last.failure)
}

const deliveries: Resource<WebhookDelivery, typeof filters> = {
  called: "deliveries",
  idOf: ({ id }) => id,
  columns: [
    { title: "ID", of: ({ id }) => id },
    { title: "STATUS", of: ({ status }) => status, isStatus: true },
    { title: "TRIES", of: ({ attempts }) => String(attempts.length) },
    { title: "LAST", of: lastAnswerOf },
    { title: "NEXT", of: ({ next_attempt_at }) => time(next_attempt_at) },
    { title: "TYPE", of: ({ event_type }) => event_type },
    { title: "URL", of: ({ url }) => url }
  ],
  filters,
  list: (coffer, cursors, { endpointId, eventId, status }) => [
    coffer.webhookDeliveries.list({ ...cursors, ...given({ status, event_id: eventId, endpoint_id: endpointId }) })
  ]
}

const resendMax = 10_000

const resend = command(
  "resend",
  "Send deliveries again: one attempt each, of the same event. What has arrived since is left alone",
  {
    failed: Flag.Boolean("failed").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Those of which all attempts have failed")
    ),
    since: Flag.String("since").pipe(Flag.withDescription("Only those created since: 30s, 15m, 2h, 7d ago, or a time")),
    endpointId: filters.endpointId,
    limit: whole("limit", [1, resendMax], resendMax, "How many at most")
  },
  Effect.fnUntraced(function* ({ endpointId, failed: onlyFailed, limit, since }) {
    if (!onlyFailed) return yield* failed("no_filter", "What is to be sent again?", "say --failed", 2)
    const client = yield* connect()
    const chosen = yield* failedSince(client, yield* sinceOf(since), given({ endpoint_id: endpointId }), limit)
    const report = yield* progress(chosen.length)
    const asJson = yield* json
    let refused = 0
    for (const [index, delivery] of chosen.entries()) {
      const outcome = yield* resendOne(client, delivery)
      if (outcome !== undefined) refused++
      if (asJson)
        yield* Console.log(jsonText({ id: delivery.id, resent: outcome === undefined, problem: outcome ?? null }))
      else if (outcome !== undefined) yield* Console.error(`coffer: ${delivery.id} was not sent again: ${outcome}`)
      yield* report(index + 1)
    }
    if (!asJson)
      yield* Console.log(`${count(chosen.length - refused)} of ${count(chosen.length)} deliveries were sent again.`)
    if (refused > 0) return yield* new Said({ exitCode: 1 })
  })
)

/** Oldest first, as they would have come. Of an event on its way to one receiver the newest delivery counts. */
const failedSince = Effect.fnUntraced(function* (
  client: Client,
  since: string,
  query: { readonly endpoint_id?: string },
  limit: number
) {
  const list = client.coffer.webhookDeliveries.list({ ...query, created: { gte: since }, limit: pageMax })
  const next = merged(client, [list], ({ id }) => id)
  const report = yield* progress()
  const chosen: Array<WebhookDelivery> = []
  const judged = new Set<string>()
  let seen = 0
  for (;;) {
    const some = yield* next(pageMax)
    if (some.length === 0) break
    for (const delivery of some) {
      const { endpoint_id, event_id, status, url } = delivery
      const way = `${event_id} ${endpoint_id ?? url}`
      if (!judged.has(way) && status === "failed") chosen.push(delivery)
      judged.add(way)
    }
    seen += some.length
    yield* report(seen)
  }
  return chosen.toReversed().slice(0, limit)
})

/** Writes are counted by the minute; what comes above waits as long as the service says. */
const untilLetIn = { maxRetries: 20, deadlineMs: 600_000 }

/** Under a key of its own, so that a command which is begun again after a cut sends nothing twice. */
const resendOne = ({ account: _, ask }: Client, { id }: WebhookDelivery) =>
  Effect.matchEffect(
    ask((coffer) => coffer.webhookDeliveries.resend(id, { ...untilLetIn, idempotencyKey: `coffer-cli-resend-${id}` })),
    {
      onSuccess: () => Effect.succeed(undefined),
      // Of one delivery: the others go on. All else is the same for each.
      onFailure: (failure: CliFailure) =>
        failure.code === "conflict" || failure.code === "delivery_not_found"
          ? Effect.succeed(failure.message)
          : Effect.fail(failure)
    }
  )

export const deliveriesCommand = Command.make("deliveries").pipe(
  Command.withDescription("Deliveries of events: get, list, tail, resend"),
  Command.withSubcommands([
    getCommand("deliveries", "delivery-id", (coffer, ref) => coffer.webhookDeliveries.get(ref)),
    listCommand(deliveries),
    tailCommand(deliveries),
    resend
  ])
)
