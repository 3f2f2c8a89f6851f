/** The text about a file that cannot be used: the operating system's code and words, wherever it is said. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { systemProblem } from "@coffer/rules/systemProblem"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Console, Effect, FileSystem } from "effect"
import * as AnchorFile from "../../src/shared/audit/AnchorFile.ts"
import * as DataDir from "../../src/platform/runtime/DataDir.ts"
import * as standardError from "../../src/platform/runtime/standardError.ts"

/** Every write to it finds no space. */
const full = "/dev/full"
const noSpace = "ENOSPC: no space left on device, write"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-full-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

describe("a full disk is called by its name", { skip: !existsSync(full) }, () => {
  it.live("when anchors are written", () =>
    Effect.gen(function* () {
      const { append } = yield* AnchorFile.open(full)
      const anchor = { at: "2026-01-01T00:00:00Z", chain: "audit_log", sequence: 1, id: "a", hash: "b" }
      const { message } = yield* Effect.flip(append([anchor]))
      assert.strictEqual(message, noSpace)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("when a secret or a mail is written", () =>
    Effect.gen(function* () {
      const home = yield* folder
      mkdirSync(path.join(home, "mails"))
      symlinkSync(full, path.join(home, "mails", "one.eml.new"))
      const { message } = yield* Effect.flip(
        Effect.flatMap(DataDir.DataDir, ({ write }) => write("mails/one.eml", "Dear")).pipe(
          Effect.provide(DataDir.layer(home))
        )
      )
      assert.strictEqual(message, `${home} cannot be used: ${noSpace}`)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("in a line of the log, with the call that failed", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const error = yield* Effect.flip(fs.writeFileString(full, "x"))
      const lines: Array<string> = []
      const console = { ...(yield* Console.Console), error: (line: string) => void lines.push(line) }
      yield* Effect.logError("it failed", Cause.die(error)).pipe(
        Effect.provide(standardError.logger),
        Effect.provideService(Console.Console, console)
      )
      assert.include(JSON.parse(lines[0]!).cause, noSpace)
      assert.strictEqual(systemProblem(error), noSpace)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

it("a failure that no system call has caused keeps its own message", () => {
  const silent = Object.assign(new Error(""), { code: "EIO" })
  for (const cause of [undefined, new Error("x"), silent]) {
    assert.strictEqual(systemProblem({ message: "no such thing", cause }), "no such thing")
  }
})
