/**
 * Programs of other versions than this one, each in a folder of its own: this version under another name or with
 * messages of another number, and the version before this one, built from the history of the repository.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import path from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { shapes } from "../../../src/platform/cluster/messages.ts"
import type { LaterFill } from "../../../src/platform/postgres/laterSteps.ts"
import { bundle } from "../../../scripts/bundle.ts"

const repository = path.resolve(import.meta.dirname, "../../..")

export interface Program {
  /** The file that Node runs. */
  readonly main: string
  readonly version: string
  /** The shapes of messages that its runners understand. */
  readonly shapes: ReadonlyArray<number>
}

/** The version before this one as long as no release has a tag: the last one whose migrations were not joined. */
const standIn = "4dfbe3e2a4875cab250c8b9bbc69f6ffa7235c55"

const git = (...words: ReadonlyArray<string>): string | undefined => {
  try {
    return execFileSync("git", words, { cwd: repository, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return undefined
  }
}

/** The last release before this commit, or what stands in for it. Undefined where the clone has no such history. */
export const commitBefore = git(
  "rev-parse",
  "--verify",
  "--quiet",
  `${git("describe", "--tags", "--abbrev=0", "HEAD^") ?? standIn}^{commit}`
)

const messagesFile = "src/platform/cluster/messages.ts"
const shapesLine = /(shapes: ReadonlyArray<number> = )\[([\d, ]+)\]/

const shapesIn = (folder: string) =>
  shapesLine
    .exec(readFileSync(path.join(folder, messagesFile), "utf8"))![2]!
    .split(",")
    .map(Number)

/** Below node_modules, where its packages are found. Gone at the end. */
const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const cache = path.join(repository, "node_modules/.cache")
    mkdirSync(cache, { recursive: true })
    return mkdtempSync(path.join(cache, "version-"))
  }),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** As deep in it as the program is in its sources: earlier versions look for package.json there. */
const builtIn = (into: string) => path.join(into, "built/a/b")

const built = (sources: string, into: string) => Effect.promise(() => bundle({ sources, dir: builtIn(into) }))

interface Package {
  readonly version: string
  readonly gitHead?: string
  readonly dependencies: object
}
const packageOf = (text: string): Package => JSON.parse(text)

const builtShapes = /(\bshapes = )\[[\d, ]+\]/

/** This program under the name of another version, whose messages have these numbers. */
export const thisAs = Effect.fnUntraced(function* (version: string, shapes: ReadonlyArray<number>) {
  const into = yield* folder
  const own = packageOf(readFileSync(path.join(repository, "package.json"), "utf8"))
  writeFileSync(path.join(into, "package.json"), JSON.stringify({ ...own, version }))
  const newest = path.parse(inject("program"))
  const bundled = newest.dir
  const dir = builtIn(into)
  cpSync(path.join(bundled, "migrations"), path.join(dir, "migrations"), { recursive: true })
  let numbered = 0
  for (const file of readdirSync(bundled).filter((name) => name.endsWith(newest.ext))) {
    const code = readFileSync(path.join(bundled, file), "utf8")
    if (builtShapes.test(code)) numbered++
    writeFileSync(path.join(dir, file), code.replace(builtShapes, `$1[${shapes.join(", ")}]`))
  }
  assert.strictEqual(numbered, 1, "the files of the program that hold the numbers of its messages")
  const program: Program = { main: path.join(dir, newest.base), version, shapes }
  return program
})

/** What a later version brings: migrations, and lines of `migrationSteps.ts` and `laterSteps.ts` for them. */
export interface Later {
  readonly version: string
  /** By the file's name without its ending. */
  readonly migrations: Readonly<Record<string, string>>
  readonly readableFrom: Readonly<Record<number, number>>
  readonly fills?: ReadonlyArray<LaterFill>
}

/** This program with the migrations of a later version, built from the sources that are here. */
export const thisWith = Effect.fnUntraced(function* ({ fills = [], migrations, readableFrom, version }: Later) {
  const into = yield* folder
  cpSync(path.join(repository, "src"), path.join(into, "src"), { recursive: true })
  writePackage(into, readFileSync(path.join(repository, "package.json"), "utf8"), version)
  const postgres = path.join(into, "src/platform/postgres")
  for (const [name, code] of Object.entries(migrations))
    writeFileSync(path.join(postgres, `migrations/${name}.ts`), code)
  const numbers = Object.entries(readableFrom).map(([id, from]) => `  ${id}: ${from},\n`)
  put(postgres, "migrationSteps.ts", /(readableFrom: .* = \{\n)/, `$1${numbers.join("")}`)
  put(postgres, "laterSteps.ts", /(laterFills: .* = )\[\]/, `$1${JSON.stringify(fills)}`)
  const program: Program = { main: yield* built(into, into), version, shapes: shapesIn(into) }
  return program
})

const put = (folder: string, name: string, where: RegExp, what: string) => {
  const file = path.join(folder, name)
  const before = readFileSync(file, "utf8")
  assert.match(before, where)
  writeFileSync(file, before.replace(where, what))
}

const writePackage = (into: string, text: string, version: string) =>
  writeFileSync(path.join(into, "package.json"), JSON.stringify({ ...packageOf(text), version }))

/** The program of a package that was packed (`npm run build`), unpacked in a folder. */
export const ofPackage = Effect.fnUntraced(function* (unpacked: string) {
  const into = yield* folder
  cpSync(unpacked, path.join(into, "package"), { recursive: true })
  const { gitHead, version } = packageOf(readFileSync(path.join(unpacked, "package.json"), "utf8"))
  const main = path.join(into, "package/coffer.js")
  const commit = gitHead === undefined ? "" : `+${gitHead.slice(0, 12)}`
  const program: Program = { main, version: version + commit, shapes }
  return program
})

/** The program of a commit of this repository, with the packages that are installed. */
export const ofCommit = Effect.fnUntraced(function* (commit: string, as?: string) {
  const into = yield* folder
  const archive = execFileSync("git", ["archive", commit, "src", "packages", "package.json"], {
    cwd: repository,
    maxBuffer: 256 * 1024 ** 2
  })
  execFileSync("tar", ["-x", "-C", into], { input: archive })
  mkdirSync(path.join(into, "node_modules/@coffer"), { recursive: true })
  for (const name of readdirSync(path.join(into, "packages"))) {
    symlinkSync(path.join(into, "packages", name), path.join(into, "node_modules/@coffer", name))
  }
  const own = readFileSync(path.join(into, "package.json"), "utf8")
  const { version } = packageOf(own)
  if (as !== undefined) writePackage(into, own, as)
  const program: Program = { main: yield* built(into, into), version: as ?? version, shapes: shapesIn(into) }
  return program
})

/** Whether the packages that are installed are those of a commit, so that its program can be built from them. */
export const hasPackagesOf = (commit: string): boolean => {
  const own = packageOf(readFileSync(path.join(repository, "package.json"), "utf8"))
  const theirs = packageOf(git("show", `${commit}:package.json`) ?? "{}")
  return JSON.stringify(theirs.dependencies) === JSON.stringify(own.dependencies)
}
