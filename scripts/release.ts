/**
 * `npm run release [-- folder]`: checks that this commit can be released, and packs it. It publishes nothing and writes
 * nothing into the repository (docs/versioning.md, A release).
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { incompatibleChanges, mayBreak } from "./openapiChanges.ts"
import { packAll, repository } from "./packages.ts"

/** A file of the repository as text, by its path. */
export type Read = (file: string) => string

/** The places that state a version, described, with the version that each states. */
export const versionsIn = (read: Read, folders: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> => {
  const said = (file: string, pattern: RegExp) => [file, pattern.exec(read(file))?.[1] ?? "none"] as const
  const documents = ["docs/released/openapi.json", "docs/released/openapi-operator.json"]
  const manifests = [
    "package.json",
    "package-lock.json",
    ...documents,
    ...folders.map((name) => `packages/${name}/package.json`)
  ]
  return [
    ...manifests.map((file) => [file, JSON.parse(read(file)).version as string] as const),
    said("packages/sdk/src/version.ts", /"([^"]+)"/),
    said("packages/python/coffer/_version.py", /^version = "([^"]+)"/m),
    said("k8s/kustomization.yaml", /newTag: "?([^"\s]+)/)
  ]
}

/** The reasons why this cannot be released. `status`: the output of `git status`. `waiting`: entries in `changes`. */
export const problems = (
  read: Read,
  folders: ReadonlyArray<string>,
  status: string,
  waiting: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  const { version } = JSON.parse(read("package.json"))
  const found = status === "" ? [] : [`the tree has changes that are not committed:\n${status}`]
  for (const [file, said] of versionsIn(read, folders)) {
    if (said !== version) found.push(`${file} says ${said}, and package.json ${version}`)
  }
  const entries = sectionsOf(read("CHANGELOG.md"))
  if (!/^- /m.test(entries.get(version) ?? "")) found.push(`CHANGELOG.md has no entry of ${version}`)
  if (/^- /m.test(entries.get("Unreleased") ?? ""))
    found.push("CHANGELOG.md has lines under Unreleased: they are of no version")
  if (waiting.length > 0) found.push(`changes has entries of no version: ${waiting.join(", ")}`)
  return found
}

/** The texts under the second headings, by their first word. */
const sectionsOf = (markdown: string): ReadonlyMap<string, string> =>
  new Map(
    markdown
      .split(/^## /m)
      .slice(1)
      .map((section) => [/^\S+/.exec(section)?.[0] ?? "", section])
  )

const git = (...words: ReadonlyArray<string>): string =>
  execFileSync("git", words, { cwd: repository, encoding: "utf8", maxBuffer: 2 ** 28 }).trim()

/** Against the documents of the version before, by its tag. There is none before the first release. */
const documentProblems = (): ReadonlyArray<string> => {
  const [tag] = git("tag", "--list", "v*", "--sort=-creatordate").split("\n")
  if (tag === undefined || tag === "") return []
  return ["openapi.json", "openapi-operator.json"].flatMap((name) => {
    const file = `docs/released/${name}`
    const before = JSON.parse(git("show", `${tag}:${file}`))
    const now = JSON.parse(readFileSync(path.join(repository, file), "utf8"))
    return mayBreak(before.version, now.version) ? [] : incompatibleChanges(before, now)
  })
}

const main = (folder: string): void => {
  const read: Read = (file) => readFileSync(path.join(repository, file), "utf8")
  const folders = readdirSync(path.join(repository, "packages")).filter((name) => name !== "python")
  const waiting = readdirSync(path.join(repository, "changes")).filter((name) => name !== "README.md")
  const found = [...problems(read, folders, git("status", "--porcelain"), waiting), ...documentProblems()]
  if (found.length > 0) {
    console.error(`This commit cannot be released:\n${found.map((each) => `- ${each}`).join("\n")}`)
    process.exitCode = 1
    return
  }
  execFileSync("npm", ["run", "check"], { cwd: repository, stdio: "inherit" })
  packAll(folder)
  console.log(
    `${readFileSync(path.join(folder, "SHA256SUMS"), "utf8")}They are in ${folder}. Sign the statement, and tag the commit.`
  )
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  main(path.resolve(process.argv[2] ?? path.join(repository, "release")))
}
