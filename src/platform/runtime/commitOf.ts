/** The commit of a checkout, read from Git's files: the program starts where there is no Git. */
import { existsSync, readFileSync } from "node:fs"
import path from "node:path"

/** Undefined where Git keeps it elsewhere, as for a second working tree. */
export const commitOf = (folder: string): string | undefined => {
  const read = (name: string) => {
    const file = path.join(folder, ".git", name)
    return existsSync(file) ? readFileSync(file, "utf8") : ""
  }
  const head = read("HEAD").trim()
  if (!head.startsWith("ref: ")) return head === "" ? undefined : head
  const name = head.slice(5)
  const packed = read("packed-refs")
    .split("\n")
    .find((line) => line.endsWith(` ${name}`))
  return (read(name) || packed)?.slice(0, 40)
}
