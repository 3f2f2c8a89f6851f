/** An act that the audit log has, before and after: an operator's, or a person's. */
import { Effect, Option } from "effect"
import { CurrentRecord, type RequestRecord } from "../http/CurrentRequest.ts"
import type { AuditLog, Entry } from "../operators/AuditLog.ts"
import { redactedText } from "@coffer/rules/redaction"
import { parseJson } from "../platform/runtime/codecs.ts"
import { withoutDeadline } from "../platform/runtime/Deadline.ts"

export type Who = Pick<Entry, "actor" | "act" | "target">

/**
 * Both entries are written even if the client hangs up during the act. The exchange writes the second one, since it
 * alone knows the status: the framework wraps what a handler fails with before a middleware sees it.
 */
export const logged = <A, E, R>(
  log: AuditLog["Service"],
  entry: Who,
  record: RequestRecord,
  handled: Effect.Effect<A, E, R>,
  hidden: ReadonlyArray<string> = []
) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* log.write({ ...entry, phase: "begun", details: withoutFields(yield* bodyOf(record), hidden) })
      record.closeAct = (status) =>
        log.write({ ...entry, phase: "done", status, details: record.change ?? {} }).pipe(
          withoutDeadline,
          // The act is done. Its first entry stands, and its answer is true.
          Effect.catchCause((cause) =>
            Effect.logError("an act has no second entry in the audit log", entry.act, cause)
          ),
          Effect.provideService(CurrentRecord, record)
        )
      return yield* restore(handled)
    })
  )

const withoutFields = ({ body }: { readonly body?: unknown }, hidden: ReadonlyArray<string>) => {
  if (hidden.length === 0 || typeof body !== "object" || body === null) return body === undefined ? {} : { body }
  const shown = Object.entries(body).map(([name, value]) => [name, hidden.includes(name) ? redactedText : value])
  return { body: Object.fromEntries(shown) as object }
}

/** The body, where it is JSON and not refused. A form with a file is not read here. */
const bodyOf = (record: RequestRecord) =>
  /json/i.test(record.sent["content-type"] ?? "")
    ? Effect.map(Effect.option(record.text), (text) => ({
        body: Option.getOrUndefined(Option.flatMap(text, parseJson))
      }))
    : Effect.succeed({})
