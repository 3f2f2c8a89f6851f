/** The imports of the sources, read from their texts. */
import path from "node:path"

export const specifiersOf = (text: string) =>
  Array.from(text.matchAll(/\b(?:(?:from|import)\s+|import\(\s*)"([^"]+)"/g), ([, specifier]) => specifier!)

/** The file that is imported; undefined for programs of others. */
export const importedBy = (file: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return path.posix.join(path.posix.dirname(file), specifier)
  if (specifier === "@coffer/sdk") return "packages/sdk/src/index.ts"
  const inside = /^@coffer\/(\w+)\/(\w.*)$/.exec(specifier)
  return inside === null ? undefined : `packages/${inside[1]}/src/${inside[2]}.ts`
}
