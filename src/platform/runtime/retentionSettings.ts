/**
 * How long rows are kept, by kind (docs/operating.md, How long rows stay). A lower bound stands where somebody relies
 * on a row: the specification on API logs, a merchant that tries again on its Idempotency-Key, a delivery on its event.
 */
import { Config, Duration, Effect, Option } from "effect"
import { BadSetting } from "./places.ts"

export interface Retention {
  /** Undefined: for ever. */
  readonly events: Duration.Duration | undefined
  readonly deliveries: Duration.Duration | undefined
  readonly mails: Duration.Duration | undefined
  /** Orders of sandboxes that ended without a payment. */
  readonly sandboxOrders: Duration.Duration | undefined
  /** Whole days. */
  readonly apiLogDays: number
  /** Answers of Idempotency-Keys. */
  readonly answers: Duration.Duration
}

export const variables = {
  keepEvents: Config.option(Config.Duration("KEEP_EVENTS")),
  keepDeliveries: Config.option(Config.Duration("KEEP_DELIVERIES")),
  keepMails: Config.option(Config.Duration("KEEP_MAILS")),
  keepSandboxOrders: Config.option(Config.Duration("KEEP_SANDBOX_ORDERS")),
  keepApiLogs: Config.Duration("KEEP_API_LOGS").pipe(Config.withDefault(Duration.days(30))),
  keepAnswers: Config.Duration("KEEP_IDEMPOTENCY_KEYS").pipe(Config.withDefault(Duration.days(1)))
}

type Read = { readonly [Name in keyof typeof variables]: Config.Success<(typeof variables)[Name]> }

/** As long as API logs at least, by which merchants look for what happened. */
const keptMin = Duration.days(30)
/** Each day is two partitions, which a list locks with their indexes. Postgres has room for some thousand locks. */
const apiLogDaysMax = 90
/** An erasure reads all answers. */
const answersMax = Duration.days(30)

export const readRetention = Effect.fnUntraced(function* (read: Read): Effect.fn.Return<Retention, BadSetting> {
  const events = yield* atLeast("KEEP_EVENTS", read.keepEvents)
  const deliveries = yield* atLeast("KEEP_DELIVERIES", read.keepDeliveries)
  if (events !== undefined && (deliveries === undefined || Duration.isLessThan(events, deliveries))) {
    return yield* new BadSetting({
      message: "KEEP_EVENTS needs KEEP_DELIVERIES, and must not be less: a delivery that is kept names its event."
    })
  }
  const apiLogDays = Duration.toDays(read.keepApiLogs)
  if (!Number.isInteger(apiLogDays) || apiLogDays < Duration.toDays(keptMin) || apiLogDays > apiLogDaysMax) {
    return yield* new BadSetting({ message: `KEEP_API_LOGS must be 30 to ${apiLogDaysMax} whole days.` })
  }
  const answers = read.keepAnswers
  if (Duration.isLessThan(answers, Duration.days(1)) || Duration.isGreaterThan(answers, answersMax)) {
    return yield* new BadSetting({ message: "KEEP_IDEMPOTENCY_KEYS must be 24 hours to 30 days." })
  }
  return {
    events,
    deliveries,
    mails: yield* atLeast("KEEP_MAILS", read.keepMails),
    sandboxOrders: yield* atLeast("KEEP_SANDBOX_ORDERS", read.keepSandboxOrders),
    apiLogDays,
    answers
  }
})

const atLeast = (name: string, kept: Option.Option<Duration.Duration>) =>
  Option.isSome(kept) && Duration.isLessThan(kept.value, keptMin)
    ? Effect.fail(new BadSetting({ message: `${name} must be 30 days or more.` }))
    : Effect.succeed(Option.getOrUndefined(kept))
