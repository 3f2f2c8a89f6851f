/** Checks of this machine: Node, the disk under COFFER_HOME, and the age of the newest backup. */
import { opendir, stat } from "node:fs/promises"
import path from "node:path"
import { Clock, Effect } from "effect"
import { installedNode } from "../platform/runtime/Vitals.ts"
import { diskVerdict, freeOn } from "./disk.ts"
import { type Check, errorIf, fine, notApplicable, Unmade, type Verdict, warning } from "./Finding.ts"
import type { Installation } from "./Installation.ts"

export const hostChecks = (installation: Installation): ReadonlyArray<Check> => [
  { name: "node", look: Effect.sync(() => nodeVerdict(process.versions.node)) },
  { name: "disk", look: Effect.map(freeOn(installation.home), (free) => diskVerdict(installation.home, free)) },
  { name: "backups", look: backups(installation) }
]

export const nodeVerdict = (version: string): Verdict =>
  version === installedNode
    ? fine(`Node ${version} is the one that the tests ran on.`)
    : warning(`Node ${version} runs, and the tests ran on ${installedNode}.`, "Start the program by npm start.")

// Backups -----------------------------------------------------------------------

/** One a day, and two hours to make it. */
const backupHoursMax = 26

/** Files that are looked at in the folder, at most. */
const backupFilesMax = 10_000

const backups = (installation: Installation) =>
  Effect.gen(function* () {
    if (installation.backups === undefined) return backupsVerdict(installation, undefined)
    const newest = yield* newestBackup(installation.backups)
    return backupsVerdict(installation, newest, yield* Clock.currentTimeMillis)
  })

/** The newest file in a folder or below it; undefined where there is none. */
export const newestBackup = (folder: string) =>
  Effect.tryPromise({
    try: () => newestIn(folder),
    catch: (cause) => new Unmade({ reason: cause instanceof Error ? cause.message : String(cause) })
  })

interface Newest {
  readonly file: string
  readonly millis: number
}

/** `newest`: undefined where there is no file. */
export const backupsVerdict = (
  { backups, isLive }: Pick<Installation, "backups" | "isLive">,
  newest: Newest | undefined,
  now = 0
): Verdict => {
  if (backups === undefined) {
    const observation = "BACKUP_DIR is not set, so nothing is known of backups."
    return isLive
      ? warning(observation, "Back Postgres up, and set BACKUP_DIR to the folder where backups arrive.")
      : notApplicable(observation)
  }
  const advice = "See why no backup arrives: what was written since the last one is kept in one place alone."
  if (newest === undefined) return errorIf(isLive)(`There is no file in ${backups}.`, advice)
  const hours = (now - newest.millis) / 3_600_000
  const observation = `The newest backup is ${newest.file}, ${Math.max(0, Math.round(hours))} hours old.`
  return hours > backupHoursMax ? errorIf(isLive)(observation, advice) : fine(observation)
}

const newestIn = (folder: string): Promise<Newest | undefined> =>
  opendir(folder, { recursive: true }).then((entries) => {
    let looked = 0
    let newest: Newest | undefined
    const next = (): Promise<Newest | undefined> =>
      entries.read().then((entry) => {
        if (entry === null || looked++ === backupFilesMax) return entries.close().then(() => newest)
        if (!entry.isFile()) return next()
        const file = path.join(entry.parentPath, entry.name)
        return stat(file).then(({ mtimeMs }) => {
          if (newest === undefined || mtimeMs > newest.millis) newest = { file, millis: mtimeMs }
          return next()
        })
      })
    return next()
  })
