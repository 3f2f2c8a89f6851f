/**
 * Reports a mistyped command: the problem and where to find help, on standard error. With `--json` it is a line of
 * JSON, like any failure. The exit code is 2.
 */
import { redactText } from "@coffer/rules/redaction"
import { Console, Context, Effect, Exit, Option, Predicate } from "effect"
import { CliOutput, TerminalCapabilities } from "effect/cli"
import { shownJson } from "./json.ts"
import { plain } from "./plain.ts"

const isJson = (words: ReadonlyArray<string>): boolean => {
  const end = words.indexOf("--")
  return (end < 0 ? words : words.slice(0, end)).some((word) => /^--json(=true)?$/.test(word))
}

/** `words`: the arguments as they were typed. No flag was parsed before this is called. */
export const presenterOf = (words: ReadonlyArray<string>): CliOutput.Presenter => ({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Effect.flatMap(Effect.context(), (context) => {
          const { canColor } = Context.get(context, TerminalCapabilities.TerminalCapabilities)
          const help = `run ${event.commandPath.join(" ")} --help, which lists the arguments with an example`
          // The message quotes the arguments, which may contain a key in the wrong place.
          if (isJson(words)) {
            const message = redactText(event.errors.map((error) => error.message).join("; "))
            return Console.error(shownJson({ error: { code: "mistyped", message, next: help } }))
          }
          const { formatErrors } = CliOutput.defaultFormatter({ colors: canColor })
          return Console.error(`${redactText(formatErrors(event.errors)).trimStart()}\n  Next: ${plain(help)}`)
        })
      : CliOutput.defaultPresenter.present(event)
})

/** The exit code of a failed command: 2 for wrong usage, 0 if help was shown instead. */
export const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
  if (Predicate.hasProperty(failure, "exitCode")) return Number(failure.exitCode)
  return Predicate.isTagged(failure, "ShowHelp") ? (isMistyped(failure) ? 2 : 0) : 1
}

const isMistyped = (help: object): boolean =>
  Predicate.hasProperty(help, "errors") && Array.isArray(help.errors) && help.errors.length > 0
