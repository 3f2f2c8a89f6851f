/** `coffer doctor`: checks an installation (docs/doctor.md). */
import { Effect } from "effect"
import { type Check, examine, type Finding } from "./Finding.ts"
import { guardChecks } from "./guardChecks.ts"
import { hostChecks } from "./hostChecks.ts"
import type { Installation } from "./Installation.ts"
import { networkChecks } from "./networkChecks.ts"
import { postgresChecks } from "./postgresChecks.ts"
import { secretChecks } from "./secretChecks.ts"
import { serviceChecks } from "./serviceChecks.ts"

/** The checks of the channels. */
export type ChannelChecks = (installation: Installation) => ReadonlyArray<Check>

export const checksOf = (installation: Installation, ofChannels: ChannelChecks) => [
  ...secretChecks(installation),
  ...guardChecks(installation),
  ...postgresChecks(installation),
  ...networkChecks(installation),
  ...ofChannels(installation),
  ...serviceChecks(installation),
  ...hostChecks(installation)
]

export const diagnose = (
  installation: Installation,
  ofChannels: ChannelChecks
): Effect.Effect<ReadonlyArray<Finding>> => examine(checksOf(installation, ofChannels))

/** The page that explains a finding. */
export const docsOf = ({ name }: Pick<Finding, "name">): string => `docs/doctor.md#${name.replaceAll(" ", "-")}`

/** Warnings and errors as lines of the log. */
export const log = (findings: ReadonlyArray<Finding>): Effect.Effect<void> =>
  Effect.forEach(
    findings,
    (finding) => {
      const line = `doctor: ${finding.name}: ${finding.observation} ${finding.advice ?? ""} (${docsOf(finding)})`
      if (finding.status === "error") return Effect.logError(line)
      return finding.status === "warning" ? Effect.logWarning(line) : Effect.void
    },
    { discard: true }
  )
