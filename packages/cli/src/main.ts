/**
 * The package's program: the commands that only need an API. A checkout has them besides the service's own commands.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit } from "effect"
import { CliOutput, Command } from "effect/cli"
import manifest from "../package.json" with { type: "json" }
import { groupsFor } from "./commands.ts"
import { exitCodeOf, presenterOf } from "./presenter.ts"
import * as services from "./services.ts"

const coffer = Command.make("coffer").pipe(
  Command.withDescription("Coffer, a merchant payment service, on the command line"),
  Command.withSubcommands(await groupsFor(process.argv[2]))
)

Command.run(coffer, { version: manifest.version }).pipe(
  Effect.provide([services.layer, CliOutput.layerPresenter(presenterOf(process.argv.slice(2)))]),
  NodeRuntime.runMain({
    // Printed already.
    disableErrorReporting: true,
    teardown: (exit, onExit) =>
      onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : exitCodeOf(exit))
  })
)
