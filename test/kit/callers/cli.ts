/** The command line as tests type it: in the test's own process, or as a process of its own that can be killed. */
import { spawn } from "node:child_process"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { groupsFor } from "@coffer/cli/commands"
import { exitCodeOf, presenterOf } from "@coffer/cli/presenter"
import { ConfigProvider, Console, Deferred, Effect, Exit, Layer, Option } from "effect"
import { CliOutput, Command, TerminalCapabilities } from "effect/cli"
import { inject } from "vitest"
import { eventually } from "../Process.ts"
import type { Running } from "../Service.ts"

export interface Said {
  stdout: string
  stderr: string
}

export interface Done extends Said {
  readonly code: number
}

type Env = Readonly<Record<string, string>>

/** The environment that opens a merchant's sandbox. */
export const envOf = ({ baseUrl, merchant }: Pick<Running, "baseUrl" | "merchant">): Env => ({
  COFFER_KEY: merchant.sandboxKey,
  COFFER_BASE_URL: `${baseUrl}/v1`
})

const coffer = Command.make("coffer").pipe(Command.withSubcommands(await groupsFor(undefined)))

/** Runs a command in this process. `said` is filled while it runs. */
export const type = (
  words: ReadonlyArray<string>,
  env: Env,
  said: Said = { stdout: "", stderr: "" },
  canColor = false
) => {
  const console: Console.Console = {
    ...globalThis.console,
    log: (...texts: ReadonlyArray<unknown>) => void (said.stdout += `${texts.join(" ")}\n`),
    error: (...texts: ReadonlyArray<unknown>) => void (said.stderr += `${texts.join(" ")}\n`)
  }
  return Command.runWith(coffer, { version: "1.2.3" })(words).pipe(
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        CliOutput.layerPresenter(presenterOf(words)),
        ConfigProvider.layer(ConfigProvider.fromEnv({ env })),
        Layer.succeed(Console.Console, console),
        Layer.succeed(TerminalCapabilities.TerminalCapabilities, { canColor, canAnimate: false, canPrompt: false })
      )
    ),
    Effect.exit,
    Effect.flatMap((exit) => {
      if (Exit.isSuccess(exit)) return Effect.succeed<Done>({ ...said, code: 0 })
      const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
      if (failure === undefined) return Effect.failCause(exit.cause).pipe(Effect.orDie)
      return Effect.succeed<Done>({ ...said, code: exitCodeOf(exit) })
    })
  )
}

/** A command that goes on: `says` waits until it has printed this. It is ended with the scope. */
export const watch = Effect.fnUntraced(function* (words: ReadonlyArray<string>, env: Env) {
  const said: Said = { stdout: "", stderr: "" }
  const fiber = yield* Effect.forkScoped(type(words, env, said))
  const says = (text: string | RegExp) =>
    eventually(
      `"coffer ${words.join(" ")}" to say ${String(text)}`,
      Effect.sync(() => {
        const all = said.stdout + said.stderr
        return typeof text === "string" ? all.includes(text) : text.test(all)
      })
    )
  return { said, says, fiber }
})

/** As a process of its own. */
export const launchCli = Effect.fnUntraced(function* (words: ReadonlyArray<string>, env: Env, cwd = process.cwd()) {
  const said: Said = { stdout: "", stderr: "" }
  const done = yield* Deferred.make<Done>()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [inject("program"), ...words], {
        cwd,
        env: { PATH: process.env["PATH"] ?? "", ...env },
        stdio: ["ignore", "pipe", "pipe"]
      })
    ),
    (started) =>
      Effect.andThen(
        Effect.sync(() => started.kill("SIGKILL")),
        Deferred.await(done)
      )
  )
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text))
  child.once("close", (code) => Deferred.doneUnsafe(done, Exit.succeed({ ...said, code: code ?? -1 })))
  const says = (text: string) =>
    eventually(
      `"coffer ${words.join(" ")}" to say ${text}`,
      Effect.sync(() => (said.stdout + said.stderr).includes(text))
    )
  return { said, says, ended: Deferred.await(done), kill: (signal: NodeJS.Signals) => void child.kill(signal) }
})

export const runCli = (words: ReadonlyArray<string>, env: Env, cwd?: string) =>
  Effect.scoped(Effect.flatMap(launchCli(words, env, cwd), ({ ended }) => ended))
