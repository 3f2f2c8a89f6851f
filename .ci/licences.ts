/**
 * `npm run licences [-- lock file]`: the licences of everything that the lock file may install, and the packages under each. Ends with 1
 * when a package has one that is not on our list, or none.
 */
import { readFileSync } from "node:fs"

/** Permissive ones, which ask for a notice at most. */
const allowed = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT AND Apache-2.0",
  "MIT-0",
  "Python-2.0",
  "Unlicense"
]
/** Of programs that only developers run: their files are not changed, and nothing of them is passed on. */
const allowedForDevelopment = ["BlueOak-1.0.0", "MPL-2.0"]

interface Package {
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
}

const lock: { readonly packages: Readonly<Record<string, Package>> } = JSON.parse(
  readFileSync(process.argv[2] ?? new URL("../package-lock.json", import.meta.url), "utf8")
)

/** `(MIT OR CC0-1.0)` is fine when one of them is. */
const choices = (licence: string) => licence.replace(/[()]/g, "").split(" OR ")

const byLicence = new Map<string, Array<string>>()
const refused: Array<string> = []
for (const [path, { dev, license = "none", link }] of Object.entries(lock.packages)) {
  const name = path.replace(/^.*node_modules\//, "")
  if (link === true || !path.includes("node_modules/")) continue
  byLicence.set(license, [...(byLicence.get(license) ?? []), name])
  const fine = dev === true ? [...allowed, ...allowedForDevelopment] : allowed
  if (!choices(license).some((each) => fine.includes(each))) refused.push(`${name}: ${license}`)
}

for (const [licence, names] of [...byLicence].toSorted(([a], [b]) => a.localeCompare(b))) {
  console.log(`${licence} (${names.length}): ${[...new Set(names)].toSorted().join(", ")}`)
}
if (refused.length > 0) {
  console.error(`These licences are not on the list in .ci/licences.ts:\n${refused.join("\n")}`)
  process.exitCode = 1
}
