/**
 * Bundles the program into a few files, with its migrations in a folder next to them, where `Migrator.ts` reads them.
 */
import { readdirSync } from "node:fs"
import path from "node:path"
import { build } from "rolldown"

const migrations = "src/platform/postgres/migrations"

export interface Bundle {
  /** The folder of a checkout. */
  readonly sources: string
  readonly dir: string
  /** The file that Node runs, without its ending: `main` if it is left out. */
  readonly main?: string
  readonly sourcemap?: boolean
  /** `mjs` where no package.json of type `module` is above: Node would parse each file twice to see what it is. */
  readonly ending?: "js" | "mjs"
}

/** Returns the file that Node runs. */
export const bundle = async ({
  dir,
  ending = "js",
  main = "main",
  sourcemap = false,
  sources
}: Bundle): Promise<string> => {
  const files = readdirSync(path.join(sources, migrations)).map((file) => [
    `migrations/${path.parse(file).name}`,
    path.join(sources, migrations, file)
  ])
  await build({
    input: { [main]: path.join(sources, "src/main.ts"), ...Object.fromEntries(files) },
    platform: "node",
    logLevel: "warn",
    output: { dir, sourcemap, entryFileNames: `[name].${ending}`, chunkFileNames: `[name]-[hash].${ending}` }
  })
  return path.join(dir, `${main}.${ending}`)
}
