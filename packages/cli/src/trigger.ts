/** `coffer trigger payment.succeeded`: makes an event happen in the sandbox, and reports the steps. */
import { EventType } from "@coffer/model/EventType"
import { Console, Effect, Option } from "effect"
import { Argument } from "effect/cli"
import { failed } from "./CliFailure.ts"
import { type Client, connect } from "./client.ts"
import { text } from "./flags.ts"
import { command, json } from "./frame.ts"
import { indentedJson } from "./json.ts"
import { paint } from "./output.ts"
import { plain } from "./plain.ts"
import { flows } from "./triggers.ts"

export const triggerCommand = command(
  "trigger",
  {
    does: "Trigger a sandbox event by running the real flow",
    example: "coffer trigger payment.succeeded"
  },
  {
    type: Argument.Literals("type", EventType.literals).pipe(
      Argument.withDescription(`One of ${EventType.literals.join(", ")}`)
    ),
    order: text("order", "Use this order (trade_no or out_trade_no); a new one by default")
  },
  Effect.fnUntraced(function* ({ order, type }) {
    const client = yield* connect()
    if (!client.isSandbox) {
      return yield* failed(
        "not_sandbox",
        "Events can't be triggered with a live key.",
        "use a key that starts with svc_test_",
        2
      )
    }
    const asJson = yield* json
    const style = yield* paint
    const steps: Array<string> = []
    const tell = (step: string) => {
      steps.push(step)
      return asJson ? Effect.void : Console.log(`  ${plain(step)}`)
    }
    const objectId = yield* flows[type]({ client, tell, ref: Option.getOrUndefined(order) })
    const event = yield* eventOf(client, type, objectId)
    yield* Console.log(
      asJson
        ? indentedJson({ type, event_id: event.id, object_id: objectId, steps })
        : `${style("green", type)}  ${plain(`${event.id}  about ${objectId}`)}`
    )
  })
)

const looksMax = 60

/** Waits half a minute for later events, such as the return of a late payment. */
const eventOf = Effect.fnUntraced(function* ({ ask }: Client, type: EventType, objectId: string) {
  for (let look = 0; look < looksMax; look++) {
    const { data } = yield* ask((coffer) => coffer.events.list({ type, object_id: objectId, limit: 1 }).page())
    if (data[0] !== undefined) return data[0]
    yield* Effect.sleep("500 millis")
  }
  return yield* failed(
    "no_event",
    `All steps are done, but ${type} for ${objectId} has not arrived yet.`,
    `look for it in a moment: coffer events list --object-id ${objectId}`
  )
})
