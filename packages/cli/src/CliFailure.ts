/**
 * The failure of a command: the problem, and the next step. It is printed on standard error, so that standard output
 * has only data.
 */
import { redactText } from "@coffer/rules/redaction"
import { systemProblem } from "@coffer/rules/systemProblem"
import { Console, Effect, type PlatformError, Schema } from "effect"
import { shownJson } from "./json.ts"
import { plain } from "./plain.ts"

export class CliFailure extends Schema.TaggedError<CliFailure>()("CliFailure", {
  /** For programs. */
  code: Schema.String,
  message: Schema.String,
  /** The next step for the user. */
  next: Schema.String,
  exitCode: Schema.Int,
  /** A retry may succeed. */
  isPassing: Schema.Boolean,
  /** Which field of a call the service refused. */
  param: Schema.optionalKey(Schema.String)
}) {}

/** Printed already. */
export class Reported extends Schema.TaggedError<Reported>()("Said", { exitCode: Schema.Int }) {}

export const failed = (code: string, message: string, next: string, exitCode = 1) =>
  new CliFailure({ code, message, next, exitCode, isPassing: false })

/** What a command does about a file or folder of its user's. */
const aboutFile = (lacks: string, next: string) => (file: string) => (error: PlatformError.PlatformError) =>
  failed("no_file", `${file} can't be ${lacks}: ${systemProblem(error)}`, next, 2)
export const unreadable = aboutFile("read", "check the name of the file, and that it may be read")
export const unwritable = aboutFile("written", "check that the folder exists and may be written")

/** Prints the failure, with `--json` as one line of JSON. Keys and secrets are redacted. */
export const say = ({ code, exitCode, message, next }: CliFailure, json: boolean): Effect.Effect<never, Reported> => {
  const shown = redactText(message)
  const text = json
    ? shownJson({ error: { code, message: shown, next } })
    : `coffer: ${plain(shown)}\n  Next: ${plain(next)}`
  return Effect.andThen(Console.error(text), Effect.fail(new Reported({ exitCode })))
}
