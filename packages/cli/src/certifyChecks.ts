/**
 * The conditions that a receiver of webhooks has to stand (spec: Events, Delivery and Signature): each check sends
 * something, looks at the answer alone, and knows what is wrong with a receiver that fails it, and how to mend that.
 */
import { randomBytes } from "node:crypto"
import { DateTime, Duration, Effect } from "effect"
import { madeUp, type MadeUp, newTradeNo, respelled } from "./certifyEvents.ts"
import { headersOf, isAccepted, type Outcome, post } from "./delivery.ts"

/**
 * `dangerous`: it takes what the service did not send. `lossy`: it refuses what the service sends every day, which is
 * lost in the end. `fragile`: it refuses what the service may send some day.
 */
export type Severity = "dangerous" | "lossy" | "fragile"

export interface Check {
  readonly name: string
  readonly severity: Severity
  /** The fault of a receiver that fails it. */
  readonly fault: string
  readonly mend: string
  /** Undefined when it holds, else what was seen. */
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
  /** Changes the headers that would be right. */
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

/** A receiver that fails it refuses everything, and nothing else can be judged. */
const first: Check = {
  name: "takes an event",
  severity: "lossy",
  fault: "an event that is signed rightly is refused",
  mend: "check that it has this secret, verifies the bytes as they came in, and answers 2xx within 10 seconds",
  run: takes("an event", "payment.succeeded")
}

const withoutSignature = ({
  "X-Service-Signature": _,
  "webhook-signature": __,
  ...rest
}: Readonly<Record<string, string>>) => rest

export const checks: ReadonlyArray<Check> = [
  {
    name: "refuses a wrong signature",
    severity: "dangerous",
    fault: "anybody can tell it that an order was paid: it does not check who has signed",
    mend: "verify each request before anything else: webhooks.verify of @coffer/sdk, and answer 400 when it fails",
    run: refuses("signed with another secret", () => Effect.sync(() => ({ secrets: [newSecret()] })))
  },
  {
    name: "refuses a missing signature",
    severity: "dangerous",
    fault: "it takes requests without any signature",
    mend: "refuse a request without X-Service-Signature and webhook-signature with 400",
    run: refuses("without a signature", () => Effect.succeed({ headers: withoutSignature }))
  },
  {
    name: "refuses an old timestamp",
    severity: "dangerous",
    fault: "whoever has seen one delivery can send it again for ever: it does not check when it was signed",
    mend: "refuse a signature whose time is more than 300 seconds from now",
    run: refuses(`signed ${oldMinutes} minutes ago`, () =>
      Effect.map(DateTime.now, (now) => ({ at: DateTime.subtract(now, { minutes: oldMinutes }) }))
    )
  },
  {
    name: "takes a second signature",
    severity: "lossy",
    fault: "for 24 hours after a secret is rotated there are two signatures in one header, and it looks at one alone",
    mend: "compare each v1= item, and take the request when one fits",
    run: Effect.fnUntraced(function* (receiver) {
      for (const secrets of [
        [newSecret(), receiver.secret],
        [receiver.secret, newSecret()]
      ]) {
        const place = secrets[0] === receiver.secret ? "first" : "second"
        const outcome = yield* send(receiver, yield* madeUp("payment.succeeded"), { secrets })
        const problem = expectTaken(outcome, `two signatures, of which the ${place} fits`)
        if (problem !== undefined) return problem
      }
      return undefined
    })
  },
  {
    name: "takes an event twice",
    severity: "lossy",
    fault: "an event that comes again is refused, so the service sends it seven times and then gives it up",
    mend: "keep the ids of events that were handled, and answer 2xx for one that was",
    run: Effect.fnUntraced(function* (receiver) {
      const event = yield* madeUp("payment.succeeded")
      for (const time of ["the first time", "again", "a third time"]) {
        const problem = expectTaken(yield* send(receiver, event), `the same event ${time}`)
        if (problem !== undefined) return problem
      }
      return undefined
    })
  },
  {
    name: "takes events in any order",
    severity: "lossy",
    fault: "an event is refused because an earlier one of the same order has not come yet",
    mend: "do not rely on the order: read the state from data.object, or from the API",
    run: Effect.fnUntraced(function* (receiver) {
      const tradeNo = yield* newTradeNo
      for (const type of ["refund.succeeded", "payment.succeeded"]) {
        const outcome = yield* send(receiver, yield* madeUp(type, { tradeNo }))
        const problem = expectTaken(outcome, `${type}, where refund.succeeded comes before payment.succeeded`)
        if (problem !== undefined) return problem
      }
      return undefined
    })
  },
  {
    name: "verifies the bytes that came in",
    severity: "lossy",
    fault: "it verifies a body that was parsed and written again, and the service may spell its JSON otherwise",
    mend: "take the raw body before any JSON parser does: express.raw(), await request.text()",
    run: takes("an event in another spelling of the same JSON", "payment.succeeded", {}, respelled)
  },
  {
    name: "takes a type that it does not know",
    severity: "fragile",
    fault: "types of events may be added at any time, and it refuses one that it does not know",
    mend: "answer 2xx for types that you do nothing with",
    run: takes("an event of a new type", "payment.certified")
  },
  {
    name: "takes a slow body",
    severity: "fragile",
    fault: "it does not wait for a body that comes in two parts",
    mend: "read the body to its end, and allow it 10 seconds",
    run: takes(`a body that rests for ${Duration.toSeconds(pause)} s in its middle`, "payment.succeeded", { pause })
  },
  {
    name: "takes a large body",
    severity: "fragile",
    fault: "it limits bodies too closely (Express allows 100 kB unless told otherwise)",
    mend: 'allow some megabytes: express.raw({ type: "application/json", limit: "5mb" })',
    run: Effect.fnUntraced(function* (receiver) {
      const metadata = { long: "x".repeat(largeBytes) }
      const outcome = yield* send(receiver, yield* madeUp("payment.succeeded", { metadata }))
      return expectTaken(outcome, `an event of ${largeBytes / 1024} kB`)
    })
  }
]

export interface Result {
  readonly check: Check
  /** The fault that was seen. */
  readonly problem: string | undefined
}

/** The results of all checks, in their order. `hear` is told of each as soon as it is there. */
export const resultsOf = Effect.fnUntraced(function* (
  receiver: Receiver,
  hear: (result: Result) => Effect.Effect<void>
) {
  const results: Array<Result> = []
  for (const check of [first, ...checks]) {
    const result = { check, problem: yield* check.run(receiver) }
    results.push(result)
    yield* hear(result)
    // A receiver that refuses everything would pass half of the rest.
    if (check === first && result.problem !== undefined) break
  }
  return results
})
