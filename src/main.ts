/** The command line. `coffer serve` runs the service; operators' commands stand beside it. */
import "effect/schema/SchemaJITCompiler/enable"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Exit } from "effect"
import { Command } from "effect/cli"
import { serve } from "./serve.ts"

const coffer = Command.make("coffer").pipe(
  Command.withDescription("A merchant payment service"),
  Command.withSubcommands([
    Command.make("serve", {}, () => serve).pipe(Command.withDescription("Run the service until it is told to stop"))
  ])
)

Command.run(coffer, { version: "1.0.0" }).pipe(
  Effect.catchTags({
    NotStarted: ({ message }) => Effect.andThen(Console.error(`coffer: ${message}`), Effect.fail(new Error(message)))
  }),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    // Said already, in one line.
    disableErrorReporting: true,
    // A stop that was asked for is a success.
    teardown: (exit, onExit) => {
      const asked = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
      onExit(Exit.isSuccess(exit) || asked ? 0 : 1)
    }
  })
)
