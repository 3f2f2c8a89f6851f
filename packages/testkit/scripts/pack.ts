/**
 * `npm pack` runs it: builds `dist`, the published form: everything that the testkit loads, including the service,
 * without types, since Node does not run TypeScript inside `node_modules`; and the type declarations.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import path from "node:path"

const home = path.resolve(import.meta.dirname, "..")
const repository = path.resolve(home, "../..")
const dist = path.join(home, "dist")

// ── The code ──

/** The packages of this repository do not exist where it is installed. */
const fileOf = (specifier: string, importer: string): string | undefined => {
  const [, part, module] = /^@coffer\/(\w+)\/(.+)$/.exec(specifier) ?? []
  if (part !== undefined) return path.join(repository, "packages", part, "src", `${module}.ts`)
  return specifier.startsWith(".") ? path.resolve(path.dirname(importer), specifier) : undefined
}

const strip = (file: string): ReadonlyArray<string> => {
  const imported: Array<string> = []
  const text = stripTypeScriptTypes(readFileSync(file, "utf8")).replace(
    /((?:^|\n)(?:import|export)\s(?:[^"'`;]*?\sfrom\s)?|\bimport\()"([^"\n]+)"/g,
    (whole, start: string, specifier: string) => {
      const target = fileOf(specifier, file)
      if (target === undefined) return whole
      imported.push(target)
      const relative = path.relative(path.dirname(file), target).replace(/\.ts$/, ".js")
      return `${start}"${relative.startsWith(".") ? relative : `./${relative}`}"`
    }
  )
  const to = path.join(dist, path.relative(repository, file)).replace(/\.ts$/, ".js")
  mkdirSync(path.dirname(to), { recursive: true })
  writeFileSync(to, text)
  return imported
}

const stripAll = (entries: ReadonlyArray<string>) => {
  const files = new Set(entries)
  // Iterating a set includes items that are added meanwhile.
  for (const file of files) for (const imported of strip(file)) files.add(imported)
}

// ── The type declarations ──

const types = path.join(dist, "types")

const options = `
  --ignoreConfig --declaration --emitDeclarationOnly --module nodenext --target es2024
  --lib es2024,esnext.disposable,dom --types node --strict --exactOptionalPropertyTypes
  --skipLibCheck --allowImportingTsExtensions --rewriteRelativeImportExtensions --rootDir src --outDir dist/types
`
  .trim()
  .split(/\s+/)

/** `tsc` is on npm's path. */
const declare = (...words: ReadonlyArray<string>) => {
  const { error, status } = spawnSync("tsc", [...options, ...words], {
    cwd: home,
    stdio: ["ignore", "inherit", "inherit"]
  })
  if (error !== undefined || status !== 0) throw error ?? new Error(`tsc ended with ${status}`)
}

rmSync(dist, { recursive: true, force: true })
const entries = ["index.ts", "effect.ts"].map((name) => path.join(home, "src", name))
// The service reads its migrations from their folder, so no import names them.
const migrations = path.join(repository, "src/platform/postgres/migrations")
stripAll([...entries, ...readdirSync(migrations).map((file) => path.join(migrations, file))])
declare("src/options.ts", "src/StartFailure.ts", "src/CofferService.ts")
// They declare all of their types, so that those of the service are not needed.
declare("--noResolve", "--noCheck", ...entries, path.join(home, "src/layer.ts"))
for (const name of readdirSync(types)) {
  const file = path.join(types, name)
  // The compiler only does this for modules.
  writeFileSync(file, readFileSync(file, "utf8").replace(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'))
}

// The service reads its version and its Node version there.
const { name, optionalDependencies, type, version } = JSON.parse(
  readFileSync(path.join(repository, "package.json"), "utf8")
)
writeFileSync(
  path.join(dist, "package.json"),
  JSON.stringify({ name, private: true, type, version, optionalDependencies })
)
