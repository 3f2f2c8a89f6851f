/** The migrated template that a machine keeps: made once, whole or not at all. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TestPostgres from "../../packages/testkit/src/TestPostgres.ts"
import { eventually } from "../kit/Process.ts"

const newCache = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-cache-"))),
  (cache) => Effect.sync(() => rmSync(cache, { recursive: true, force: true }))
)

/** Starts a Postgres from it, looks whether all is there, and ends. Answers whether the template was used. */
const startOnce = (cache: string) =>
  Effect.gen(function* () {
    const { url, usedTemplate } = yield* TestPostgres.start({ cache })
    const tell = yield* TestPostgres.connect(TestPostgres.databaseUrl(url, TestPostgres.template))
    yield* tell("select count(*) from orders")
    return usedTemplate
  }).pipe(Effect.scoped)

const whole = (cache: string) => readdirSync(cache).filter((name) => /^[0-9a-f]+$/.test(name))

/** Another process that starts a Postgres from it and says so. */
const another = (cache: string) => {
  const program = `
    import { Effect } from "effect"
    import * as TestPostgres from "./packages/testkit/src/TestPostgres.ts"
    const { usedTemplate } = await Effect.runPromise(Effect.scoped(TestPostgres.start({ cache: process.argv[1] })))
    console.log(usedTemplate)
  `
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", program, cache], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const said = Effect.promise(() => child.stdout.toArray()).pipe(
    Effect.map((chunks) => Buffer.concat(chunks).toString("utf8").trim())
  )
  return { child, said }
}

describe("the template of a machine", () => {
  it.live("is made by the first start, and used by later ones", () =>
    Effect.gen(function* () {
      const cache = yield* newCache
      assert.isFalse(yield* startOnce(cache))
      assert.isTrue(yield* startOnce(cache))
      assert.lengthOf(whole(cache), 1)
    }).pipe(Effect.scoped)
  )

  it.live("is made again when a file of it was damaged", () =>
    Effect.gen(function* () {
      const cache = yield* newCache
      yield* startOnce(cache)
      const [name] = whole(cache)
      truncateSync(path.join(cache, name!, "home/postgres/PG_VERSION"))
      assert.isFalse(yield* startOnce(cache))
      assert.isTrue(yield* startOnce(cache))
    }).pipe(Effect.scoped)
  )

  it.live("is created by one of two processes that start at the same time, and the other waits for it", () =>
    Effect.gen(function* () {
      const cache = yield* newCache
      const [one, two] = [another(cache), another(cache)]
      const said = yield* Effect.all([one.said, two.said], { concurrency: 2 })
      for (const word of said) assert.match(word, /^(true|false)$/)
      assert.lengthOf(whole(cache), 1)
      assert.isTrue(yield* startOnce(cache))
    }).pipe(Effect.scoped)
  )

  it.live("is made by the next start when the process that made it was killed", () =>
    Effect.gen(function* () {
      const cache = yield* newCache
      const { child } = another(cache)
      yield* eventually(
        "a process that makes it",
        Effect.sync(() => readdirSync(cache).some((name) => name.includes(".new-")))
      )
      child.kill("SIGKILL")
      yield* Effect.promise(() => once(child, "exit"))
      assert.isEmpty(whole(cache))
      assert.isFalse(yield* startOnce(cache))
      assert.isEmpty(readdirSync(cache).filter((name) => name.includes(".new-")))
    }).pipe(Effect.scoped)
  )
})
