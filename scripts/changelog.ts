/**
 * Collects the entries of the changelog. Each change adds its entry as a separate file, so that changes do not
 * conflict: `changes/added-webhook-proxy.md` contains the text of one entry, and the first word of its name is the kind
 * of the change. `npm run changelog` puts them under "Unreleased", and with a version under a heading of that version.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { pathToFileURL } from "node:url"

/** In the order of a version (Keep a Changelog 1.1.0). */
const kinds = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"] as const
type Kind = (typeof kinds)[number]

export interface Entry {
  readonly file: string
  readonly text: string
}

const kindOf = (file: string): Kind | undefined =>
  kinds.find((kind) => new RegExp(`^${kind.toLowerCase()}-[a-z0-9-]+\\.md$`).test(file))

/** The reason why an entry cannot be collected. */
export const entryProblem = ({ file, text }: Entry): string | undefined => {
  if (kindOf(file) === undefined) return `must be called ${kinds.join("-, ").toLowerCase()}- and words: ${file}`
  if (/^\s*$/.test(text)) return `${file} is empty`
  return /^(#|[-*] )/m.test(text) ? `${file} is one entry, without a heading or a dash` : undefined
}

const bulletOf = ({ text }: Entry): string => `- ${text.trim().replaceAll("\n", "\n  ")}\n`

/** The texts below the headings of kinds, joined by kind. */
const sectionsOf = (text: string): ReadonlyMap<Kind, string> => {
  const found = new Map<Kind, string>()
  for (const section of text.split(/^### /m).slice(1)) {
    const kind = kinds.find((each) => section.startsWith(`${each}\n`))
    if (kind === undefined) throw new Error(`CHANGELOG.md has a heading that is no kind: ${section.split("\n")[0]}`)
    const lines = section.slice(kind.length).trim()
    if (lines !== "") found.set(kind, `${found.get(kind) ?? ""}${lines}\n`)
  }
  return found
}

/** `heading`: of a version with its day; undefined leaves all under "Unreleased". */
export const collected = (changelog: string, entries: ReadonlyArray<Entry>, heading: string | undefined): string => {
  const problem = entries.map(entryProblem).find((each) => each !== undefined)
  if (problem !== undefined) throw new Error(problem)
  const [, before = "", unreleased = "", after = ""] =
    /^(.*?^## Unreleased\n)(.*?)((?:^## .*)?)$(?![\s\S])/ms.exec(changelog) ?? []
  if (before === "") throw new Error("CHANGELOG.md has no heading Unreleased")
  const there = sectionsOf(unreleased)
  const sections = kinds.flatMap((kind) => {
    const added = entries.filter(({ file }) => kindOf(file) === kind).map(bulletOf)
    const lines = [...added, there.get(kind) ?? ""].join("")
    return lines === "" ? [] : [`### ${kind}\n\n${lines}`]
  })
  const title = heading === undefined ? [] : [`## ${heading}\n`]
  return `${[before, ...title, ...sections].join("\n")}${after === "" ? "" : `\n${after}`}`
}

const main = (version: string | undefined): void => {
  const repository = path.resolve(import.meta.dirname, "..")
  const changelog = path.join(repository, "CHANGELOG.md")
  const folder = path.join(repository, "changes")
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file !== "README.md") : []
  const entries = files.toSorted().map((file) => ({ file, text: readFileSync(path.join(folder, file), "utf8") }))
  const heading = version === undefined ? undefined : `${version} – ${new Date().toISOString().slice(0, 10)}`
  writeFileSync(changelog, collected(readFileSync(changelog, "utf8"), entries, heading))
  for (const { file } of entries) rmSync(path.join(folder, file))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(process.argv[2])
