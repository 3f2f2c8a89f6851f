/**
 * A shorter way to the modules of a checkout (docs/decisions/0202). For each of a thousand modules Node checks whether
 * the file exists, whether its path contains a link, and which package.json above it sets its format: a third of a
 * start. An import between two files of ours or of Effect names the whole file, so its URL and format follow from the
 * name. Every other import is resolved by Node. A bundle has few modules, and does not need this.
 */
import { readFileSync } from "node:fs"
import { registerHooks, type ResolveFnOutput } from "node:module"

const effects = /\/node_modules\/(@effect\/[^/]+|effect)\/dist\//

const formOf = (specifier: string, parent: string): "module" | "module-typescript" | undefined => {
  if (specifier.endsWith(".ts")) return "module-typescript"
  return specifier.endsWith(".js") && effects.test(parent) ? "module" : undefined
}

export const findQuickly = () => {
  /** By the folder of the importing package, and the name: all files of a package get the same module. */
  const named = new Map<string, ResolveFnOutput>()

  registerHooks({
    resolve: (specifier, context, next) => {
      const { parentURL: parent } = context
      if (parent === undefined || specifier.startsWith("node:")) return next(specifier, context)
      if (specifier.startsWith(".")) {
        const format = formOf(specifier, parent)
        if (format === undefined) return next(specifier, context)
        return { url: new URL(specifier, parent).href, format, shortCircuit: true }
      }
      const sources = parent.lastIndexOf("/src/")
      if (sources < 0 || parent.includes("/node_modules/")) return next(specifier, context)
      const key = `${parent.slice(0, sources)} ${specifier}`
      let found = named.get(key)
      if (found === undefined) named.set(key, (found = { ...next(specifier, context), shortCircuit: true }))
      return found
    },
    load: (url, context, next) => {
      const { format } = context
      if (format !== "module" && format !== "module-typescript") return next(url, context)
      return { format, source: readFileSync(new URL(url)), shortCircuit: true }
    }
  })
}
