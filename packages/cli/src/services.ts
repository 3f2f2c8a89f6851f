/**
 * The parts of this machine that commands need: files, and a terminal. Node's readline is loaded only for a prompt, and
 * no command starts another program.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Effect, Layer, Scope, Terminal } from "effect"
import { ChildProcessSpawner } from "effect/process"

const terminal = Layer.effect(
  Terminal.Terminal,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const reader = yield* Effect.promise(() => import("@effect/platform-node/NodeTerminal")).pipe(
      Effect.flatMap(({ make }) => make()),
      Scope.provide(scope),
      Effect.cached
    )
    return Terminal.make({
      columns: Effect.sync(() => process.stdout.columns ?? 0),
      rows: Effect.sync(() => process.stdout.rows ?? 0),
      size: Effect.flatMap(reader, ({ size }) => size),
      readInput: Effect.flatMap(reader, ({ readInput }) => readInput),
      readLine: Effect.flatMap(reader, ({ readLine }) => readLine),
      display: (text) => Effect.flatMap(reader, ({ display }) => display(text))
    })
  })
)

const noPrograms = Layer.succeed(
  ChildProcessSpawner.ChildProcessSpawner,
  ChildProcessSpawner.make(() => Effect.die("no command starts a program"))
)

export const layer = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeStdio.layer, terminal, noPrograms)
