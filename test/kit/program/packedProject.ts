/** A merchant's empty project, into which a package of this repository comes in the form in which it is published. */
import { execFile } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"

/** `name`: of the package, after `@coffer/`. `base`: the environment of what runs there. */
export const packedProject = (name: string, base = process.env) => {
  const folder = mkdtempSync(path.join(tmpdir(), `coffer-${name}-`))

  /** The program's standard output. Fails with all that it has written when it ends badly. */
  const run = async (program: string, args: ReadonlyArray<string>, cwd = folder, more = {}) => {
    const done = promisify(execFile)(program, args, { cwd, env: { ...base, ...more } })
    return (await done.catch((error) => Promise.reject(new Error(`${error.message}\n${error.stdout}`)))).stdout
  }

  const pack = async (at: string, more = {}) => {
    await run("npm", ["pack", "--pack-destination", folder], at, more)
    writeFileSync(path.join(folder, "package.json"), `{ "name": "shop", "private": true, "type": "module" }`)
  }

  return {
    folder,
    run,
    /** Where the package is, once it is installed. */
    installed: path.join(folder, "node_modules/@coffer", name),
    /** Puts the package's archive into the project. */
    pack: () => pack(path.resolve("packages", name)),
    /** The same from a copy, for a package whose manifest changes while it is packed. Other tests load it meanwhile. */
    packCopy: async () => {
      const copy = path.join(folder, "repository")
      const at = path.join(copy, "packages", name)
      // With the others, whose sources it may import.
      cpSync(path.resolve("packages"), path.join(copy, "packages"), {
        recursive: true,
        filter: (source) => !/\/(node_modules|dist)(\/|$)/.test(source.slice(path.resolve("packages").length))
      })
      for (const each of ["scripts", "docs"]) cpSync(path.resolve(each), path.join(copy, each), { recursive: true })
      for (const file of ["tsconfig.json", "package.json"]) cpSync(path.resolve(file), path.join(copy, file))
      symlinkSync(path.resolve("node_modules"), path.join(copy, "node_modules"))
      await pack(at, { PATH: `${path.resolve("node_modules/.bin")}${path.delimiter}${base["PATH"]}` })
      rmSync(copy, { recursive: true, force: true })
    },
    compile: () => run(process.execPath, [path.resolve("node_modules/typescript/bin/tsc"), "-p", folder]),
    remove: () => rmSync(folder, { recursive: true, force: true })
  }
}

export const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => path.extname(name) !== "")

/** The names of a package's files; those of its program and types by their ending only. */
export const kindsIn = (installed: string): ReadonlyArray<string> => [
  ...new Set(filesIn(installed).map((name) => name.replace(/^dist\/.*?(\.d\.ts|\.js)$/, "dist/*$1")))
]
