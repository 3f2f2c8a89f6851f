/**
 * `npm pack` runs it: makes `dist`, the program with everything that it loads, so that it needs no package. Each
 * command has its own file, next to what several share, and loads no other (docs/decisions/0202). The bundle exports
 * nothing, and `unpack.ts` points the manifest at the sources again.
 */
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { textsFile } from "@coffer/mcp/texts"
import { build, type Plugin } from "rolldown"
import { nameExports } from "../../../scripts/builtPackage.ts"

const home = path.resolve(import.meta.dirname, "..")
const dist = path.join(home, "dist")

/**
 * Node's modules by `process.getBuiltinModule`. An `import` reads every export of a module, and some of these load what
 * no command needs: the `fetch` client, workers, readline.
 */
const builtins: Plugin = {
  name: "builtins",
  resolveId: (id) => (id.startsWith("node:") ? { id: `\0${id}`, moduleSideEffects: false } : undefined),
  load: (id) => {
    if (!id.startsWith("\0node:")) return undefined
    const name = id.slice(1)
    const module = `process.getBuiltinModule("${name}")`
    const own = Object.getOwnPropertyDescriptors(process.getBuiltinModule(name) as object)
    const valueOf = (each: string) => {
      // Most commands hash nothing, and the module loads everything that ciphers need.
      if (name === "node:crypto") return `(...words) => ${module}.${each}(...words)`
      // `promises` is a getter, which loads its module when it is read.
      if (!("value" in own[each]!)) return `/*#__PURE__*/ new Proxy({}, { get: (_, key) => ${module}.${each}[key] })`
      return `/*#__PURE__*/ (() => ${module}.${each})()`
    }
    const names = Object.keys(own).filter((each) => /^(?!default$)[a-zA-Z]\w*$/.test(each))
    const exported = names.map((each) => `export const ${each} = ${valueOf(each)}`)
    return [...exported, `export default /*#__PURE__*/ (() => ${module})()`].join("\n")
  }
}

/** The library creates a text segmenter when it is loaded, which takes ICU longer than a whole command should take. */
const segmenterLater: Plugin = {
  name: "segmenter-later",
  transform: (code, id) => {
    if (!id.endsWith("/effect/dist/cli/CliOutput.js")) return undefined
    const parts = code.split(/(new Intl\.Segmenter\([^)]*\))/)
    if (parts.length !== 3) throw new Error("effect makes its segmenter of text in another way: see whether it is late")
    const [before, made, after] = parts
    const later = `{ segment(text) { return (this.made ??= ${made}).segment(text) } }`
    return { code: `${before!.replace(/\/\*#__PURE__\*\/$/, "")}${later}${after}`, map: null }
  }
}

rmSync(dist, { recursive: true, force: true })
await build({
  input: path.join(home, "src/main.ts"),
  platform: "node",
  // Only for `coffer stripe rehearse`, which reports where it can be run.
  external: [/^@coffer\/simulator/],
  plugins: [builtins, segmenterLater],
  onLog: (level, { message }) => {
    if (level === "warn") throw new Error(message)
  },
  output: {
    dir: dist,
    minify: true,
    chunkFileNames: "[name].js",
    // Each file takes half a millisecond to load, so shared code is in one file.
    codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] }
  }
})

/** For `coffer mcp`, whose agent reads them. */
const built = mkdtempSync(path.join(tmpdir(), "coffer-site-"))
execFileSync(process.execPath, [path.join(home, "../site/scripts/build.ts"), "--into", path.join(built, "dist")])
mkdirSync(path.join(dist, "packages/site/dist"), { recursive: true })
copyFileSync(path.join(built, "dist", textsFile), path.join(dist, "packages/site/dist", textsFile))
rmSync(built, { recursive: true })

nameExports(home, { "./package.json": "./package.json" })
