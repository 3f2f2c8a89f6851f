/**
 * `npm run packages [-- folder]`: packs everything that is published into a folder (`release`), together with a bill of
 * materials (CycloneDX), its provenance (an in-toto statement) and the hashes of all files. Builds are reproducible:
 * the same commit gives the same bytes, without build times or machine names (docs/decisions/0181).
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { pathToFileURL } from "node:url"

export const repository = path.resolve(import.meta.dirname, "..")
/** Folders of the packages that have one of their own. `coffer` is made by `scripts/build.ts`. */
export const published = ["sdk", "testkit", "simulator", "cluster", "cli", "medusa", "vendure"] as const

const { version } = JSON.parse(readFileSync(path.join(repository, "package.json"), "utf8"))

export const sha256 = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex")

export const packAll = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // Packing writes into the packages, which others may be running.
  const copy = copied()
  try {
    const run = (cwd: string, program: string, ...words: ReadonlyArray<string>) =>
      execFileSync(program, words, {
        cwd,
        env: { ...process.env, PATH: `${path.join(copy, "node_modules/.bin")}${path.delimiter}${process.env["PATH"]}` },
        stdio: ["ignore", "ignore", "inherit"]
      })
    const pack = (at: string) => run(copy, "npm", "pack", "--silent", "--pack-destination", folder, `./${at}`)
    // It writes into no package, and has the paths of modules in its comments.
    run(repository, process.execPath, "scripts/build.ts", path.join(copy, "dist"))
    pack("dist")
    for (const name of published) pack(`packages/${name}`)
    run(path.join(copy, "packages/python"), "python3", "scripts/wheel.py", folder)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
  const archives = readdirSync(folder).toSorted()
  write(folder, `coffer-${version}.cdx.json`, components())
  write(folder, `coffer-${version}.intoto.json`, statement(folder, archives))
  const all = readdirSync(folder).toSorted()
  writeFileSync(path.join(folder, "SHA256SUMS"), all.map((name) => `${hashOf(folder, name)}  ${name}\n`).join(""))
}

const write = (folder: string, name: string, value: object) =>
  writeFileSync(path.join(folder, name), `${JSON.stringify(value, undefined, 2)}\n`)

const hashOf = (folder: string, name: string) => sha256(readFileSync(path.join(folder, name)))

/** A copy of all sources of the packages. It uses the installed packages of the repository. */
const copied = (): string => {
  const copy = mkdtempSync(path.join(tmpdir(), "coffer-packages-"))
  for (const name of ["src", "scripts", "packages", "docs", "package.json", "tsconfig.json", ...texts]) {
    const from = path.join(repository, name)
    cpSync(from, path.join(copy, name), {
      recursive: true,
      filter: (source) =>
        !/node_modules|\/(?:sdk|testkit|simulator|cluster|cli|medusa|vendure)\/dist(?:\/|$)/.test(
          source.slice(from.length)
        )
    })
  }
  symlinkSync(path.join(repository, "node_modules"), path.join(copy, "node_modules"))
  return copy
}
const texts = ["LICENSE", "README.md", "CHANGELOG.md"]

const output = (program: string, ...words: ReadonlyArray<string>): string =>
  execFileSync(program, words, { cwd: repository, encoding: "utf8", maxBuffer: 64 * 1_024 * 1_024 }).trim()

/** Of the commit, so that it is the same in each build. */
const committedAt = () => new Date(Number(output("git", "log", "-1", "--format=%ct")) * 1_000).toISOString()

interface Component {
  readonly "bom-ref": string
  readonly properties?: ReadonlyArray<{ readonly name: string; readonly value: string }>
}

interface Dependency {
  readonly ref: string
  readonly dependsOn: ReadonlyArray<string>
}

/** All that the packages may bring, by the lock file. npm gives it a time and a random number. */
const components = (): object => {
  const made = JSON.parse(output("npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only"))
  // `--omit dev` leaves out what any workspace has for its developers, also where the service depends on it.
  const isKept = ({ properties = [] }: Component) =>
    !properties.some(({ name, value }) => name === "cdx:npm:package:development" && value === "true")
  made.components = (made.components as ReadonlyArray<Component>).filter(isKept)
  const kept = new Set([made.metadata.component, ...made.components].map((each) => each["bom-ref"]))
  made.dependencies = (made.dependencies as ReadonlyArray<Dependency>)
    .filter(({ ref }) => kept.has(ref))
    .map(({ dependsOn, ref }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }))
  delete made.serialNumber
  made.metadata.timestamp = committedAt()
  const [a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(sha256(JSON.stringify(made)))!.slice(1)
  return { ...made, serialNumber: `urn:uuid:${a}-${b}-5${c}-8${d}-${e}` }
}

/** SLSA's provenance. Unsigned: `docs/versioning.md` says how it is signed. */
const statement = (folder: string, archives: ReadonlyArray<string>): object => ({
  _type: "https://in-toto.io/Statement/v1",
  subject: archives.map((name) => ({ name, digest: { sha256: hashOf(folder, name) } })),
  predicateType: "https://slsa.dev/provenance/v1",
  predicate: {
    buildDefinition: {
      buildType: "urn:coffer:npm-run-packages:v1",
      externalParameters: { command: "npm run packages", version },
      resolvedDependencies: [
        { uri: "urn:coffer:source", digest: { gitCommit: output("git", "rev-parse", "HEAD") } },
        { uri: "file:package-lock.json", digest: { sha256: hashOf(repository, "package-lock.json") } },
        { uri: `pkg:generic/node@${process.versions.node}`, digest: { sha256: hashOf(process.execPath, "") } }
      ]
    },
    runDetails: { builder: { id: "urn:coffer:builder:local" }, metadata: { startedOn: committedAt() } }
  }
})

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const folder = path.resolve(process.argv[2] ?? path.join(repository, "release"))
  packAll(folder)
  console.log(`${readFileSync(path.join(folder, "SHA256SUMS"), "utf8")}They are in ${folder}.`)
}
