/** A connection that is handed to a child which freezes before it receives it (docs/decisions/0034). */
import { type ChildProcess, spawn } from "node:child_process"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../kit/Process.ts"
import { head, sendRaw } from "../kit/callers/Raw.ts"

const script = path.join(import.meta.dirname, "../kit/runners/frozenChildren.ts")

const parent = Effect.gen(function* () {
  let said = ""
  const found = (words: RegExp) => Number(words.exec(said)?.[1])
  const program = yield* Effect.acquireRelease(
    Effect.sync((): ChildProcess => spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] })),
    (started) =>
      Effect.sync(() => {
        const frozen = found(/frozen (\d+)/)
        if (frozen > 0) kill(frozen)
        started.kill("SIGKILL")
      })
  )
  program.stdout!.setEncoding("utf8").on("data", (text: string) => (said += text))
  const until = (words: RegExp) =>
    Effect.map(
      eventually(
        String(words),
        Effect.sync(() => words.test(said))
      ),
      () => found(words)
    )
  const port = yield* until(/port (\d+)/)
  const frozen = until(/frozen (\d+)/)
  return { frozen, ask: sendRaw(`http://127.0.0.1:${port}`, head("GET /")) }
})

const kill = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended.
  }
}

describe("a child that freezes between its word and the connection", () => {
  it.live("does not keep it: the connection is closed, and its client is free to connect again", () =>
    Effect.gen(function* () {
      const { ask } = yield* parent
      assert.strictEqual((yield* ask).status, 0, "closed without an answer")
      for (let call = 0; call < 3; call++) assert.strictEqual((yield* ask).text, "answered")
    })
  )

  it.live("and that is killed then, leaves it to another child", () =>
    Effect.gen(function* () {
      const { ask, frozen } = yield* parent
      const [{ text }] = yield* Effect.all([ask, Effect.map(frozen, kill)], { concurrency: 2 })
      assert.strictEqual(text, "answered")
    })
  )
})
