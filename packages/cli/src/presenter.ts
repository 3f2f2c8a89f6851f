/** How the command line tells that a command was mistyped: what is wrong and where to read on, on standard error. */
import { redactText } from "@coffer/rules/redaction"
import { Console, Context, Effect } from "effect"
import { CliOutput, TerminalCapabilities } from "effect/cli"

export const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Effect.flatMap(Effect.context(), (context) => {
          const { canColor } = Context.get(context, TerminalCapabilities.TerminalCapabilities)
          const { formatErrors } = CliOutput.defaultFormatter({ colors: canColor })
          const next = `  Next: ${event.commandPath.join(" ")} --help`
          // It quotes what was typed, which may be a key in the wrong place.
          return Console.error(`${redactText(formatErrors(event.errors)).trimStart()}\n${next}`)
        })
      : CliOutput.defaultPresenter.present(event)
}
