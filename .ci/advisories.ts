/**
 * `npm run advisories`: whether the registry knows of a serious weakness in what the service installs. Ends with 1 when it
 * does. Where the registry gives no advisories, as on a machine without a network, it says so and ends with 0.
 */
import { spawnSync } from "node:child_process"

const millisMax = 60_000

interface Report {
  readonly error?: { readonly summary?: string }
  readonly message?: string
  readonly vulnerabilities?: Readonly<Record<string, { readonly name: string; readonly severity: string }>>
}

const { stdout } = spawnSync("npm", ["audit", "--json", "--package-lock-only", "--omit=dev"], {
  encoding: "utf8",
  timeout: millisMax,
  stdio: ["ignore", "pipe", "ignore"]
})

const read = (): Report => {
  try {
    return JSON.parse(stdout)
  } catch {
    return { message: "npm audit did not answer" }
  }
}

const { error, message, vulnerabilities } = read()
if (vulnerabilities === undefined) {
  console.log(`Advisories were not checked: ${message ?? error?.summary ?? "the registry gave none"}.`)
} else {
  const found = Object.values(vulnerabilities)
  for (const { name, severity } of found) console.log(`${severity}: ${name}`)
  const serious = found.filter(({ severity }) => severity === "high" || severity === "critical")
  console.log(`${found.length} advisories, ${serious.length} of them serious.`)
  if (serious.length > 0) process.exitCode = 1
}
