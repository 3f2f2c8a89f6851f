/**
 * The package as it is published, in an empty project: its README is followed to the letter. Two runners on one
 * Postgres share one entity; the runner that owns it is killed, and the other one takes over.
 */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Context } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import manifest from "../../packages/cluster/package.json" with { type: "json" }
import root from "../../package.json" with { type: "json" }
import { databaseUrl } from "../../packages/testkit/src/TestPostgres.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { blocksIn } from "../kit/texts/blocksIn.ts"
import { filesIn, kindsIn, packedProject } from "../kit/program/packedProject.ts"
import { eventually } from "../kit/Process.ts"
import { freePort } from "../kit/Service.ts"

const readme = readFileSync("packages/cluster/README.md", "utf8")
const [program, several] = blocksIn(readme, "ts")

const { compile, folder: project, installed, packCopy, remove, run } = packedProject("cluster")

/** As npm would. Its dependencies come from here, so no registry is asked. */
const link = (name: string) => {
  const place = path.join(project, "node_modules", name)
  mkdirSync(path.dirname(place), { recursive: true })
  symlinkSync(path.resolve("node_modules", name), place)
}

beforeAll(async () => {
  await packCopy()
  mkdirSync(installed, { recursive: true })
  await run("tar", ["-xzf", `coffer-cluster-${manifest.version}.tgz`, "--strip-components=1", "-C", installed])
  for (const name of ["effect", "@effect/platform-node", "@effect/sql-pg", "@types/node"]) link(name)
  writeFileSync(path.join(project, "runner.ts"), program!)
})
afterAll(remove)

/** A database without tables. Removed at the end. */
const emptyDatabase = Effect.gen(function* () {
  const url = inject("postgresUrl")
  const name = `shop_${randomBytes(4).toString("hex")}`
  const built = yield* Layer.build(Postgres.layer({ url: Redacted.make(url), connections: 1, name: "test" }))
  const sql = Context.get(built, SqlClient.SqlClient)
  yield* Effect.acquireRelease(sql.unsafe(`create database ${name}`), () =>
    Effect.ignore(sql.unsafe(`drop database if exists ${name} with (force)`))
  )
  return databaseUrl(url, name)
})

/** A runner of the README, and the lines that it has written. */
const runner = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const port = yield* freePort
  const lines: Array<string> = []
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["runner.ts"], {
        cwd: project,
        env: { ...environment, PATH: process.env["PATH"] ?? "", RUNNER_PORT: String(port) },
        stdio: ["ignore", "pipe", "pipe"]
      })
    ),
    (started) => Effect.sync(() => started.kill("SIGKILL"))
  )
  for (const stream of [child.stdout, child.stderr]) {
    stream
      .setEncoding("utf8")
      .on("data", (text: string) => lines.push(...text.split("\n").filter((line) => line !== "")))
  }
  return { port, lines, kill: () => child.kill("SIGKILL") }
})

const says = (lines: ReadonlyArray<string>, port: number) => lines.includes(`owned by ${port}`)

describe("@coffer/cluster as it is published", () => {
  it("holds its modules, their types, its README and its licence, and nothing else", () => {
    assert.sameMembers([...kindsIn(installed)], ["package.json", "README.md", "dist/*.js", "dist/*.d.ts"])
    assert.strictEqual(readFileSync(path.join(installed, "LICENSE"), "utf8"), readFileSync("LICENSE", "utf8"))
    const modules = readdirSync("packages/cluster/src").map((name) => name.replace(/\.ts$/, ""))
    for (const name of modules) assert.isTrue(existsSync(path.join(installed, "dist", `${name}.js`)), name)
    assert.lengthOf(filesIn(path.join(installed, "dist")), 2 * modules.length)
  })

  it("imports nothing but its own files, Node and what it names as its peers, at versions that Coffer has", () => {
    const peers: Readonly<Record<string, string>> = manifest.peerDependencies
    const known: Readonly<Record<string, string>> = root.dependencies
    for (const [name, range] of Object.entries(peers)) assert.strictEqual(range, `^${known[name]}`)
    for (const name of filesIn(path.join(installed, "dist"))) {
      const text = readFileSync(path.join(installed, "dist", name), "utf8")
      for (const [, specifier] of text.matchAll(/\bfrom "([^"]+)"/g)) {
        if (specifier!.startsWith("node:")) continue
        if (specifier!.startsWith(".")) {
          const file = path.resolve(installed, "dist", specifier!)
          assert.isTrue(existsSync(file), `${name}: ${specifier}`)
        } else assert.property(peers, /^(@[^/]+\/)?[^/]+/.exec(specifier!)![0], `${name}: ${specifier}`)
      }
    }
  })

  it("has a README whose code compiles in an empty project", async () => {
    writeFileSync(path.join(project, "several.ts"), several!)
    const compilerOptions = {
      module: "nodenext",
      target: "es2024",
      lib: ["es2024", "esnext.disposable", "dom"],
      types: ["node"],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true
    }
    const files = ["runner.ts", "several.ts"]
    writeFileSync(path.join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
    await compile()
  })

  it.live(
    "two runners of the README have one entity between them, and when its owner is killed the other one has it",
    () =>
      Effect.gen(function* () {
        const environment = {
          DATABASE_URL: yield* emptyDatabase,
          CLUSTER_SECRET: randomBytes(32).toString("base64")
        }
        const runners = [yield* runner(environment), yield* runner(environment)] as const
        const [one, other] = runners
        // The runner that joined first owns everything.
        const agreed = () => runners.find(({ port }) => says(one.lines, port) && says(other.lines, port))
        yield* eventually(
          `both to say the same of the entity: ${runners.map(({ lines }) => lines.join("\n")).join("\n")}`,
          Effect.sync(() => agreed() !== undefined),
          "2 minutes"
        )
        const owner = agreed()!
        const heir = owner === one ? other : one
        heir.lines.length = 0
        owner.kill()
        yield* eventually(
          "the other one to have it",
          Effect.sync(() => says(heir.lines, heir.port)),
          "1 minute"
        )
        assert.match(heir.lines.join("\n"), /this runner took over \d+ shards/)
        assert.match(heir.lines.join("\n"), /ended without shutting down: Postgres has lost its connections/)
      })
  )
})
