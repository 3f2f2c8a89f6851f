/** The doctor's findings as a table for people, and as JSON for programs. */
import { docsOf } from "./doctor.ts"
import { type Finding, type Status, statuses, worstOf } from "./Finding.ts"

/** Columns of text before a line is broken. */
const widthMax = 118
const gap = "  "

export type Paint = (status: Status, text: string) => string

/** One finding after the other: status, name, observation; below that, what to do. */
export const tableOf = (findings: ReadonlyArray<Finding>, paint: Paint): string => {
  const widths = {
    status: widest(["STATUS", ...statuses]),
    name: widest(["CHECK", ...findings.map(({ name }) => name)])
  }
  const indent = " ".repeat(widths.status + widths.name + 2 * gap.length)
  const row = (status: string, name: string, text: string) =>
    [status, name.padEnd(widths.name), wrap(text, indent)].join(gap).trimEnd()
  const rows = findings.flatMap((finding) => {
    const { advice, name, observation, status } = finding
    const first = row(paint(status, status.padEnd(widths.status)), name, observation)
    return advice === null ? [first] : [first, `${indent}${wrap(`Do: ${advice} (${docsOf(finding)})`, indent)}`]
  })
  return [row("STATUS".padEnd(widths.status), "CHECK", "SEEN"), ...rows, "", summaryOf(findings)].join("\n")
}

const widest = (texts: ReadonlyArray<string>) => Math.max(...texts.map(({ length }) => length))

const wrap = (text: string, indent: string): string => {
  const lines: Array<string> = [""]
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!
    if (line !== "" && indent.length + line.length + 1 + word.length > widthMax) lines.push(word)
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`
  }
  return lines.join(`\n${indent}`)
}

const summaryOf = (findings: ReadonlyArray<Finding>) =>
  (["error", "warning", "ok", "not applicable"] as const)
    .map((status) => `${findings.filter((finding) => finding.status === status).length} ${status}`)
    .join(", ")

export const jsonOf = (findings: ReadonlyArray<Finding>) => ({
  status: worstOf(findings),
  // Other programs read `seen`.
  findings: findings.map(({ observation, ...finding }) => ({ ...finding, seen: observation, docs: docsOf(finding) }))
})

/** As monitors expect them: 0 is ok, 1 a warning, 2 an error. */
export const exitCodeOf = (findings: ReadonlyArray<Finding>): number => {
  const worst = worstOf(findings)
  if (worst === "error") return 2
  return worst === "warning" ? 1 : 0
}
