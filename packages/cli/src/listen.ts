/**
 * `coffer listen`: forwards events to a receiver on the developer's machine, each at least once, in the order of the
 * list. An event counts as forwarded once the receiver has answered, with any status; while no receiver listens, the
 * event waits.
 */
import { EventType } from "@coffer/model/EventType"
import { Console, DateTime, Effect } from "effect"
import { Flag } from "effect/cli"
import type { Event } from "../../sdk/src/index.ts"
import { failed, Reported } from "./CliFailure.ts"
import { connect } from "./client.ts"
import { headersOf, isAccepted, isReceiver, type Outcome, post, receiverOf } from "./delivery.ts"
import { command, json } from "./frame.ts"
import { jsonText, shownJson } from "./json.ts"
import { openState } from "./listenState.ts"
import { paint, time } from "./output.ts"
import { plain } from "./plain.ts"
import { eachFollowed } from "./resource.ts"

const repeated = 1_000
/** The longest backoff while no receiver listens. */
const waitMillisMax = 5_000

export const listenCommand = command(
  "listen",
  {
    does: "Forward signed events to your webhook receiver until Ctrl-C; the next run resumes where this one ended",
    example: "coffer listen --forward-to http://localhost:3000/hook"
  },
  {
    forwardTo: Flag.String("forward-to").pipe(
      Flag.withDescription("URL of your webhook receiver: http://localhost:3000/hook")
    ),
    types: Flag.String("types").pipe(
      Flag.between(0, EventType.literals.length),
      Flag.withDescription("Only events of these types (comma-separated or repeatable)")
    ),
    replay: Flag.String("replay").pipe(
      Flag.between(0, repeated),
      Flag.withDescription("Resend this event, then exit (repeatable)")
    ),
    state: Flag.String("state").pipe(
      Flag.optional,
      Flag.withDescription("File to save progress in; default: one in .coffer/listen")
    )
  },
  Effect.fnUntraced(function* ({ forwardTo: written, replay, state, types: given }) {
    const forwardTo = receiverOf(written)
    if (!isReceiver(forwardTo)) {
      const next = "use a URL that starts with http:// or https://"
      return yield* failed("bad_receiver", `--forward-to: "${forwardTo}" is not a valid URL.`, next, 2)
    }
    const wanted = yield* typesOf(given)
    const client = yield* connect({ as: "coffer-listen" })
    const { file, isStarted, keep, position, secret } = yield* openState(client.account, forwardTo, state)
    const forward = yield* forwarder(forwardTo, secret)
    yield* greet({ forwardTo, secret, file, goesOn: isStarted, isReplay: replay.length > 0 })

    if (replay.length > 0) {
      let isRefused = false
      for (const id of replay)
        isRefused = !isAccepted(yield* forward(yield* client.ask((coffer) => coffer.events.get(id)))) || isRefused
      return isRefused ? yield* new Reported({ exitCode: 1 }) : undefined
    }
    const types = wanted.length === 0 ? {} : { type: wanted }
    let start = position
    if (!isStarted) {
      const { data } = yield* client.ask(({ events }) => events.list({ limit: 1, ...types }).page())
      start = data[0]?.id
      // From here on no event is missed, even if this program is killed.
      yield* keep(start)
      yield* ready
    }
    yield* eachFollowed(
      client,
      (options) => client.coffer.events.follow({ after: start ?? null, ...types }, options),
      (event) => Effect.andThen(forward(event), keep(event.id))
    )
  }, Effect.scoped)
)

const typesOf = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const words = texts
    .flatMap((text) => text.split(","))
    .map((word) => word.trim())
    .filter((word) => word !== "" && word !== "*")
  const known: ReadonlyArray<string> = EventType.literals
  const unknown = words.find((word) => !known.includes(word))
  if (unknown !== undefined)
    return yield* failed(
      "bad_types",
      `--types: "${unknown}" is not an event type.`,
      `choose from these types: ${known.join(", ")}`,
      2
    )
  return words as ReadonlyArray<EventType>
})

const ready = Effect.suspend(() => Console.error("coffer: Waiting for events…"))

interface Greeting {
  readonly forwardTo: string
  readonly secret: string
  readonly file: string
  readonly goesOn: boolean
  readonly isReplay: boolean
}

const greet = Effect.fnUntraced(function* ({ file, forwardTo, goesOn, isReplay, secret }: Greeting) {
  if (yield* json) return yield* Console.log(shownJson({ forward_to: forwardTo, signing_secret: secret, state: file }))
  const style = yield* paint
  yield* Console.log(
    `Signing secret: ${style("bold", secret)}\n` +
      `Forwarding to ${plain(forwardTo)}. Progress is saved in ${plain(file)}.`
  )
  if (goesOn && !isReplay) yield* Console.log("Resuming: events since the last run are forwarded first.")
})

/** Forwards an event, waits while there is no receiver, and prints the outcome. */
const forwarder = Effect.fnUntraced(function* (forwardTo: string, secret: string) {
  const tell = yield* teller
  return Effect.fnUntraced(function* (event: Event) {
    const { id, type } = event
    const body = jsonText(event)
    for (let tries = 0; ; tries++) {
      const headers = headersOf({ id, type, body, secrets: [secret], at: yield* DateTime.now })
      const outcome = yield* post(forwardTo, body, headers)
      if (!outcome.isUnreached) {
        yield* tell(event, outcome)
        return outcome
      }
      if (tries === 0) yield* Console.error(`coffer: ${plain(`${id} waits: ${outcome.problem} (${forwardTo})`)}.`)
      yield* Effect.sleep(Math.min(250 * 2 ** tries, waitMillisMax))
    }
  })
})

const teller = Effect.gen(function* () {
  const asJson = yield* json
  const style = yield* paint
  return Effect.fnUntraced(function* ({ id, type }: Event, outcome: Outcome) {
    const { millis, problem, status } = outcome
    if (asJson) {
      return yield* Console.log(
        shownJson({ event_id: id, type, status: status ?? null, latency_ms: millis, problem: problem ?? null })
      )
    }
    const now = time(DateTime.formatIso(yield* DateTime.now))
    const answer = status === undefined ? plain(problem!) : String(status)
    const shown = style(isAccepted(outcome) ? "green" : "red", answer)
    yield* Console.log(`${now}  ${plain(id)}  ${plain(type).padEnd(26)}  ${shown}  ${millis} ms`)
  })
})
