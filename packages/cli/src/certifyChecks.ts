/**
 * The conditions that a webhook receiver has to meet (spec: Events, Delivery and Signature): each check sends a
 * request, judges only by the answer, and knows the fault of a receiver that fails it and its fix.
 */
import { randomBytes } from "node:crypto"
import { DateTime, Duration, Effect } from "effect"
import { madeUp, type MadeUp, newTradeNo, respelled } from "./certifyEvents.ts"
import { headersOf, isAccepted, type Outcome, post } from "./delivery.ts"

/**
 * `dangerous`: it accepts forged requests. `lossy`: it refuses requests that the service sends every day, so events are
 * lost. `fragile`: it refuses requests that the service may send in the future.
 */
export type Severity = "dangerous" | "lossy" | "fragile"

export interface Check {
  readonly name: string
  readonly severity: Severity
  /** The fault of a receiver that fails it. */
  readonly fault: string
  readonly fix: string
  /** Undefined if the condition holds, otherwise the observation. */
  readonly run: (receiver: Receiver) => Effect.Effect<string | undefined>
}

export interface Receiver {
  readonly url: string
  readonly secret: string
}

interface Sending {
  readonly secrets?: ReadonlyArray<string>
  readonly at?: DateTime.Utc
  readonly pause?: Duration.Duration
  /** Changes the correct headers. */
  readonly headers?: (headers: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
}

const largeBytes = 256 * 1024
const pause = Duration.seconds(2)
/** Receivers allow five minutes. */
const oldMinutes = 20

export const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`

const send = Effect.fnUntraced(function* ({ secret, url }: Receiver, event: MadeUp, sending: Sending = {}) {
  const { at = yield* DateTime.now, headers = (same) => same, secrets = [secret] } = sending
  return yield* post(url, event.body, headers(headersOf({ ...event, secrets, at })), sending.pause)
})

const answerText = ({ millis, problem, status }: Outcome): string => `${status ?? problem} after ${millis} ms`

const expectTaken = (outcome: Outcome, what: string) =>
  isAccepted(outcome) ? undefined : `${what}: ${answerText(outcome)}`
const expectRefused = (outcome: Outcome, what: string) =>
  outcome.status !== undefined && !isAccepted(outcome) ? undefined : `${what}: ${answerText(outcome)}`

const takes = (what: string, type: string, sending: Sending = {}, change = (event: MadeUp) => event) =>
  Effect.fnUntraced(function* (receiver: Receiver) {
    return expectTaken(yield* send(receiver, change(yield* madeUp(type)), sending), what)
  })

const refuses = (what: string, sending: () => Effect.Effect<Sending>) =>
  Effect.fnUntraced(function* (receiver: Receiver) {
    return expectRefused(yield* send(receiver, yield* madeUp("payment.succeeded"), yield* sending()), what)
  })

/** A receiver that fails this check refuses everything, so nothing else can be judged. */
const first: Omit<Check, "run"> = {
  name: "accepts an event",
  severity: "lossy",
  fault: "a correctly signed event is rejected",
  fix: "use this secret, verify the raw bytes of the body, and respond with 2xx within 10 seconds"
}

const withoutSignature = ({
  "X-Service-Signature": _,
  "webhook-signature": __,
  ...rest
}: Readonly<Record<string, string>>) => rest

export const checks: ReadonlyArray<Check> = [
  {
    name: "rejects a wrong signature",
    severity: "dangerous",
    fault: "anyone can fake a paid order: the signature is not checked",
    fix: "verify every request first (webhooks.verify in @coffer/sdk), and respond with 400 if it fails",
    run: refuses("signed with another secret", () => Effect.sync(() => ({ secrets: [newSecret()] })))
  },
  {
    name: "rejects a missing signature",
    severity: "dangerous",
    fault: "requests without a signature are accepted",
    fix: "respond with 400 to requests without X-Service-Signature and webhook-signature",
    run: refuses("without a signature", () => Effect.succeed({ headers: withoutSignature }))
  },
  {
    name: "rejects an old timestamp",
    severity: "dangerous",
    fault: "a captured delivery can be replayed at any time: the timestamp is not checked",
    fix: "reject signatures whose timestamp is more than 300 seconds off",
    run: refuses(`signed ${oldMinutes} minutes ago`, () =>
      Effect.map(DateTime.now, (now) => ({ at: DateTime.subtract(now, { minutes: oldMinutes }) }))
    )
  },
  {
    name: "accepts a second signature",
    severity: "lossy",
    fault: "for 24 hours after a secret is rotated the header has two signatures, but only one is checked",
    fix: "compare every v1= item, and accept the request if one matches",
    run: Effect.fnUntraced(function* (receiver) {
      for (const secrets of [
        [newSecret(), receiver.secret],
        [receiver.secret, newSecret()]
      ]) {
        const place = secrets[0] === receiver.secret ? "first" : "second"
        const outcome = yield* send(receiver, yield* madeUp("payment.succeeded"), { secrets })
        const problem = expectTaken(outcome, `two signatures, of which the ${place} matches`)
        if (problem !== undefined) return problem
      }
      return undefined
    })
  },
  {
    name: "accepts a duplicate event",
    severity: "lossy",
    fault: "a repeated event is rejected, so the service retries it seven times and then gives up",
    fix: "store the ids of handled events, and respond with 2xx to repeated ones, even at the same moment",
    run: Effect.fnUntraced(function* (receiver) {
      const event = yield* madeUp("payment.succeeded")
      for (const time of ["the first time", "again", "a third time"]) {
        const problem = expectTaken(yield* send(receiver, event), `the same event ${time}`)
        if (problem !== undefined) return problem
      }
      // A unique key in the receiver's database must not become a 500.
      const atOnce = send(receiver, yield* madeUp("payment.succeeded"))
      const outcomes = yield* Effect.all([atOnce, atOnce], { concurrency: 2 })
      return outcomes
        .map((each) => expectTaken(each, "the same event twice at once"))
        .find((each) => each !== undefined)
    })
  },
  {
    name: "accepts events in any order",
    severity: "lossy",
    fault: "an event is rejected because an earlier one of the same order has not arrived yet",
    fix: "don't rely on the order of events: read the state from data.object or the API",
    run: Effect.fnUntraced(function* (receiver) {
      const tradeNo = yield* newTradeNo
      for (const type of ["refund.succeeded", "payment.succeeded"]) {
        const outcome = yield* send(receiver, yield* madeUp(type, { tradeNo }))
        const problem = expectTaken(outcome, `${type}, where refund.succeeded arrives before payment.succeeded`)
        if (problem !== undefined) return problem
      }
      return undefined
    })
  },
  {
    name: "verifies the raw body",
    severity: "lossy",
    fault: "a parsed and re-serialized body is verified, but the service may format its JSON differently",
    fix: "read the raw body before any JSON parser: express.raw(), await request.text()",
    run: takes("an event in another formatting of the same JSON", "payment.succeeded", {}, respelled)
  },
  {
    name: "accepts an unknown event type",
    severity: "fragile",
    fault: "new event types can be added at any time, but an unknown one is rejected",
    fix: "respond with 2xx to types you don't handle",
    run: takes("an event of a new type", "payment.certified")
  },
  {
    name: "accepts a slow body",
    severity: "fragile",
    fault: "a body that arrives in two parts is not waited for",
    fix: "read the whole body, and allow 10 seconds for it",
    run: takes(`a body that pauses for ${Duration.toSeconds(pause)} s halfway`, "payment.succeeded", { pause })
  },
  {
    name: "accepts a large body",
    severity: "fragile",
    fault: "the body size limit is too small (Express defaults to 100 kB)",
    fix: 'allow a few megabytes: express.raw({ type: "application/json", limit: "5mb" })',
    run: Effect.fnUntraced(function* (receiver) {
      const metadata = { long: "x".repeat(largeBytes) }
      const outcome = yield* send(receiver, yield* madeUp("payment.succeeded", { metadata }))
      return expectTaken(outcome, `an event of ${largeBytes / 1024} kB`)
    })
  }
]

export interface Result {
  readonly check: Omit<Check, "run">
  /** The fault that was seen. */
  readonly problem: string | undefined
}

/** The results of all checks, in their order. Calls `hear` with each result as it arrives. */
export const resultsOf = Effect.fnUntraced(function* (
  receiver: Receiver,
  hear: (result: Result) => Effect.Effect<void>
) {
  const outcome = yield* send(receiver, yield* madeUp("payment.succeeded"))
  // A mistyped address gets no grade.
  if (outcome.isUnreached) return undefined
  const taken: Result = { check: first, problem: expectTaken(outcome, "an event") }
  yield* hear(taken)
  const results = [taken]
  // A receiver that refuses everything would pass half of the rest.
  if (taken.problem !== undefined) return results
  for (const check of checks) {
    const result = { check, problem: yield* check.run(receiver) }
    results.push(result)
    yield* hear(result)
  }
  return results
})
