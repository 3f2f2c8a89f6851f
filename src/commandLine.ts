/**
 * The command line. `coffer serve` runs the service; the others are commands for operators, and for merchants
 * (packages/cli). A command's modules are loaded only when it runs, so no command waits for the modules of another.
 */
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { groupsFor } from "@coffer/cli/commands"
import { exitCodeOf, presenterOf } from "@coffer/cli/presenter"
import { redactText } from "@coffer/rules/redaction"
import { Cause, ConfigProvider, Console, Effect, Exit, identity, Option } from "effect"
import { CliOutput, Command, Flag } from "effect/cli"
import { followHangup, stopMillis } from "./stopping.ts"
import * as standardError from "./platform/runtime/standardError.ts"
import { version } from "./platform/runtime/Vitals.ts"
import * as parent from "@coffer/cluster/parent"

/** For the service: its standard error is a log. */
const load = <Module>(module: () => Promise<Module>) =>
  Effect.suspend(() => {
    standardError.keepToJson()
    return Effect.promise(module)
  })

/** As with NO_OUTBOUND=true in the environment. */
const withoutOutbound = Effect.updateService(ConfigProvider.ConfigProvider, (environment) =>
  ConfigProvider.orElse(ConfigProvider.fromEnv({ env: { NO_OUTBOUND: "true" } }), environment)
)

const operatorsDocument = Flag.Boolean("operator").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Print the operator API's document")
)

const ofService = [
  Command.make(
    "serve",
    {
      runners: Flag.String("runners").pipe(
        Flag.optional,
        Flag.withDescription("Run this many runners on one port; SIGHUP restarts them one by one")
      ),
      noOutbound: Flag.Boolean("no-outbound").pipe(
        Flag.withDefault(false),
        Flag.withDescription("For a restored copy: make no outbound calls, and pause due work (NO_OUTBOUND)")
      )
    },
    ({ noOutbound, runners }) =>
      Option.match(runners, {
        onNone: () =>
          Effect.flatMap(
            load(() => import("./serve.ts")),
            ({ serve }) => serve
          ),
        onSome: (count) =>
          Effect.flatMap(
            load(() => import("./supervise.ts")),
            ({ supervise }) => supervise(count)
          )
      }).pipe(noOutbound ? withoutOutbound : identity)
  ).pipe(Command.withDescription("Run the service")),
  Command.make("audit", {}, () =>
    Effect.flatMap(
      load(() => import("./runAudit.ts")),
      ({ runAudit }) => runAudit
    )
  ).pipe(Command.withDescription("Check the whole ledger against its laws; exit code 1 if a row violates one")),
  Command.make(
    "migrate",
    {
      besideRunners: Flag.Boolean("beside-runners").pipe(
        Flag.withDefault(false),
        Flag.withDescription("Migrate even if runners of an incompatible version are running, whose writes may fail")
      ),
      check: Flag.Boolean("check").pipe(
        Flag.withDefault(false),
        Flag.withDescription("Only print what it would do: its locks, and whether older versions still start")
      ),
      wait: Flag.Boolean("wait").pipe(
        Flag.withDefault(false),
        Flag.withDescription("Migrate nothing, and end when another process has migrated the database")
      )
    },
    (options) =>
      Effect.flatMap(
        load(() => import("./runMigrate.ts")),
        ({ runMigrate }) => runMigrate(options)
      )
  ).pipe(Command.withDescription("Migrate the database, and grant the service's role its permissions")),
  Command.make(
    "doctor",
    {
      json: Flag.Boolean("json").pipe(Flag.withDefault(false), Flag.withDescription("Print the findings as JSON")),
      live: Flag.Boolean("live").pipe(
        Flag.withDefault(false),
        Flag.withDescription("Check as if a merchant were already live")
      )
    },
    (options) =>
      Effect.flatMap(
        load(() => import("./runDoctor.ts")),
        ({ runDoctor }) => runDoctor(options)
      )
  ).pipe(Command.withDescription("Check this installation; exit code 1 for warnings, 2 for errors")),
  Command.make("console", {}, () =>
    Effect.flatMap(
      load(() => import("./runConsole.ts")),
      ({ runConsole }) => runConsole
    )
  ).pipe(Command.withDescription("Print sign-in links for the console of an embedded installation")),
  Command.make("openapi", { operator: operatorsDocument }, (options) =>
    Effect.flatMap(
      load(() => import("./runOpenapi.ts")),
      ({ runOpenapi }) => runOpenapi(options)
    )
  ).pipe(Command.withDescription("Print the OpenAPI document of the merchant API"))
]

const coffer = Command.make("coffer").pipe(
  Command.withDescription("A merchant payment service"),
  Command.withSubcommands([
    { group: "The service", commands: ofService },
    ...(await groupsFor(
      process.argv[2],
      ofService.map(({ name }) => name)
    ))
  ])
)

/** A stop ends in time even if something hangs, such as a database that does not answer. */
const leaveInTime = () => {
  const leave = () => {
    process.stderr.write("coffer: Stopping took too long, so the process was ended. Acknowledged data is kept.\n")
    process.exit(1)
  }
  setTimeout(leave, stopMillis()).unref()
}
process.once("SIGINT", leaveInTime)
process.once("SIGTERM", leaveInTime)
if (parent.isChild) parent.followParent()
else followHangup()

Command.run(coffer, { version }).pipe(
  Effect.catchTags({
    NotStarted: ({ message }) =>
      Effect.andThen(Console.error(`coffer: ${redactText(message)}`), Effect.fail(new Error(message)))
  }),
  // An expected failure is reported where it occurs. A defect is a bug of ours, and is reported here.
  Effect.tapCause((cause) => {
    const defects = cause.reasons.filter(Cause.isDieReason)
    return defects.length === 0
      ? Effect.void
      : Console.error(`coffer: ${redactText(Cause.pretty(Cause.fromReasons(defects)))}`)
  }),
  Effect.provide([NodeServices.layer, CliOutput.layerPresenter(presenterOf(process.argv.slice(2)))]),
  NodeRuntime.runMain({
    // Reported already, in one line.
    disableErrorReporting: true,
    // A requested stop is a success.
    teardown: (exit, onExit) => {
      const isWanted = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
      onExit(Exit.isSuccess(exit) || isWanted ? 0 : exitCodeOf(exit))
    }
  })
)
