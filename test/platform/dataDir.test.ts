/** A secret of COFFER_HOME is on the disk before anything depends on it. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { DataDir, layer } from "../../src/platform/runtime/DataDir.ts"

it.live("a file is synced before it gets its name, and the folder afterwards", () =>
  Effect.gen(function* () {
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-data-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
    const steps: Array<string> = []
    const nameOf = (file: string) => path.relative(home, file) || "folder"
    const watched = Layer.effect(
      FileSystem.FileSystem,
      Effect.map(FileSystem.FileSystem, (fs) =>
        FileSystem.FileSystem.of({
          ...fs,
          open: (name, options) => {
            const step = `sync ${nameOf(name)}`
            return Effect.map(
              fs.open(name, options),
              (opened) =>
                new Proxy(opened, {
                  get: (file, name) => {
                    const value: unknown = Reflect.get(file, name, file)
                    if (name === "sync")
                      return Effect.andThen(
                        Effect.sync(() => steps.push(step)),
                        value as typeof file.sync
                      )
                    return typeof value === "function" ? value.bind(file) : value
                  }
                })
            )
          },
          rename: (from, to) =>
            Effect.andThen(
              Effect.sync(() => steps.push(`rename ${nameOf(from)}`)),
              fs.rename(from, to)
            )
        })
      )
    ).pipe(Layer.provideMerge(NodeServices.layer))
    const kept = Effect.flatMap(DataDir, ({ keep }) => keep("secret.key", Effect.succeed("secret")))
    assert.strictEqual(yield* Effect.provide(kept, Layer.provide(layer(home), watched)), "secret")
    assert.deepStrictEqual(steps, ["sync secret.key.new", "rename secret.key.new", "sync folder"])
  })
)

it.live("no file of it gets into its repository, and an existing folder stays as it was", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-data-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true }))
    )
    const opened = (home: string) => Effect.provide(DataDir, layer(home).pipe(Layer.provide(NodeServices.layer)))
    const home = path.join(folder, ".coffer")
    yield* opened(home)
    const ignored = path.join(home, ".gitignore")
    assert.strictEqual(readFileSync(ignored, "utf8"), "*\n")
    writeFileSync(ignored, "# mine\n")
    yield* opened(home)
    assert.strictEqual(readFileSync(ignored, "utf8"), "# mine\n")
    yield* opened(folder)
    assert.isFalse(existsSync(path.join(folder, ".gitignore")))
  })
)
