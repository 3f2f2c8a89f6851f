/** Writes an act of an operator or a person to the audit log, before and after. */
import { Effect, Option } from "effect"
import { CurrentRecord, type RequestRecord } from "../../shared/http/CurrentRequest.ts"
import type { AuditLog, Entry } from "../../access/operators/AuditLog.ts"
import { withoutWords } from "@coffer/rules/operator/loggedBody"
import { parseJson } from "../../platform/runtime/codecs.ts"
import { withoutDeadline } from "../../platform/runtime/Deadline.ts"

export type Who = Pick<Entry, "actor" | "act" | "target">

/**
 * Both entries are written even if the client hangs up during the act. The exchange writes the second one, since only
 * it knows the status: the framework wraps a handler's failure before a middleware sees it.
 */
export const logAct = <A, E, R>(
  log: AuditLog["Service"],
  entry: Who,
  record: RequestRecord,
  handled: Effect.Effect<A, E, R>,
  hidesWords = false
) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* log.write({ ...entry, phase: "begun", details: detailsOf(yield* bodyOf(record), hidesWords) })
      record.closeAct = (status) =>
        log
          .write({ ...entry, target: targetOf(entry, record), phase: "done", status, details: record.change ?? {} })
          .pipe(
            withoutDeadline,
            // The act is done: its first entry stays, and its answer is correct.
            Effect.catchCause((cause) =>
              Effect.logError("an act has no second entry in the audit log", entry.act, cause)
            ),
            Effect.provideService(CurrentRecord, record)
          )
      return yield* restore(handled)
    })
  )

/** The merchant's own log finds its number there. */
const targetOf = ({ target }: Who, { moves }: RequestRecord): string =>
  moves === undefined ? target : `${target}?merchant=${moves}`

const detailsOf = ({ body }: { readonly body?: unknown }, hidesWords: boolean) =>
  body === undefined ? {} : { body: hidesWords ? withoutWords(body) : body }

/** The body, where it is JSON and not refused. A form with a file is not read here. */
const bodyOf = (record: RequestRecord) =>
  /json/i.test(record.sent["content-type"] ?? "")
    ? Effect.map(Effect.option(record.text), (text) => ({
        body: Option.getOrUndefined(Option.flatMap(text, parseJson))
      }))
    : Effect.succeed({})
