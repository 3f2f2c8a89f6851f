/** Checks of this machine: Node, open files, the disk under COFFER_HOME and its files, the age of the newest backup. */
import { access, opendir, readFile, stat } from "node:fs/promises"
import path from "node:path"
import { Mode } from "@coffer/model/Ids"
import { placesOf, sumOf } from "@coffer/rules/delivery/places"
import { Clock, Effect } from "effect"
import { filesSettings } from "../../money/files/filesSettings.ts"
import { installedNode } from "../../platform/runtime/Vitals.ts"
import { diskVerdict, freeOn } from "./disk.ts"
import { type Check, errorIf, fine, notApplicable, Unmade, type Verdict, warning } from "./Finding.ts"
import { query, type Installation, settingsOf } from "./Installation.ts"
import { isLoopback } from "../../platform/runtime/places.ts"
import type { Settings } from "../../platform/runtime/Settings.ts"

export const hostChecks = (installation: Installation): ReadonlyArray<Check> => [
  { name: "node", look: Effect.sync(() => nodeVerdict(process.versions.node)) },
  { name: "open files", look: openFiles(installation) },
  { name: "evidence", look: evidence(installation) },
  { name: "disk", look: Effect.map(freeOn(installation.home), (free) => diskVerdict(installation.home, free)) },
  { name: "backups", look: backups(installation) }
]

export const nodeVerdict = (version: string): Verdict =>
  version === installedNode
    ? fine(`Node ${version} is the tested version.`)
    : warning(
        `Node ${version} is running, but the tested version is ${installedNode}.`,
        "Start the program with npm start."
      )

// Open files --------------------------------------------------------------------

/** For the database, runners, listening sockets, the log, files, and other calls. */
const openBesides = 500

/** Each connection is an open file. Node raises the soft limit to the hard one when it starts. */
const openFiles = (installation: Installation) =>
  Effect.flatMap(settingsOf(installation), ({ clientConnections }) =>
    Effect.map(openFilesMax, (max) =>
      openFilesVerdict(installation, { max, needed: clientConnections + webhooksMax + openBesides })
    )
  )

const webhooksMax = Mode.literals.length * sumOf(placesOf)

/** Undefined if the system does not tell. */
const openFilesMax = Effect.tryPromise(() => readFile("/proc/self/limits", "utf8")).pipe(
  Effect.map((text) => {
    const [, max] = /^Max open files +(\S+)/m.exec(text) ?? []
    return max === "unlimited" ? Infinity : max === undefined ? undefined : Number(max)
  }),
  Effect.orElseSucceed(() => undefined)
)

export const openFilesVerdict = (
  { isLive }: Pick<Installation, "isLive">,
  { max, needed }: { readonly max: number | undefined; readonly needed: number }
): Verdict => {
  if (max === undefined) return notApplicable("This system does not report its limit of open files.")
  const limit = max === Infinity ? "any number of files" : `${max} files`
  const observation = `A process may open ${limit}, and a runner needs ${needed} with the current CLIENT_CONNECTIONS.`
  return max >= needed
    ? fine(observation)
    : errorIf(isLive)(
        observation,
        `Raise the limit (ulimit -n ${needed}, LimitNOFILE of systemd), or lower CLIENT_CONNECTIONS: ` +
          "beyond the limit buyers can't connect."
      )
}

// Evidence ----------------------------------------------------------------------

/** Newest files that are looked for. */
const filesLooked = 20

interface Kept {
  /** Undefined for the folder of COFFER_HOME. */
  readonly bucket: string | undefined
  readonly looked: number
  readonly missing: number
}

const evidence = (installation: Installation) =>
  Effect.gen(function* () {
    const { of, runner } = yield* settingsOf(installation)
    const bucket = of(filesSettings).filesBucket?.name
    if (bucket !== undefined) return evidenceVerdict(installation, runner, { bucket, looked: 0, missing: 0 })
    const rows = yield* query(
      installation,
      (sql) => sql<{ readonly name: string }>`select name from files order by created_at desc limit ${filesLooked}`
    )
    const found = yield* Effect.forEach(rows, ({ name }) =>
      Effect.promise(() =>
        access(path.join(installation.home, "files", name)).then(
          () => true,
          () => false
        )
      )
    )
    const missing = found.filter((isThere) => !isThere).length
    return evidenceVerdict(installation, runner, { bucket, looked: rows.length, missing })
  })

/** A file that another runner has received must be here too; otherwise each runner has its own files. */
export const evidenceVerdict = (
  { home, isLive }: Pick<Installation, "home" | "isLive">,
  runner: Settings["Service"]["runner"],
  { bucket, looked, missing }: Kept
): Verdict => {
  if (bucket !== undefined) return fine(`Evidence is stored in the bucket ${bucket}.`)
  const folder = `${home}/files`
  const advice = `Set FILES_S3_BUCKET, or mount one ${folder} for all runners.`
  if (missing > 0) {
    return errorIf(isLive)(`${missing} of the ${looked} newest evidence files are missing in ${folder}.`, advice)
  }
  return runner !== undefined && !isLoopback(runner.host) && looked === 0
    ? warning(`Evidence is stored in ${folder}, which runners on other machines may not share.`, advice)
    : fine(`Evidence is stored in ${folder}.`)
}

// Backups -----------------------------------------------------------------------

/** One a day, plus two hours to make it. */
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
    const observation = "BACKUP_DIR is not set, so backups can't be checked."
    return isLive
      ? warning(observation, "Back up Postgres, and set BACKUP_DIR to the folder where backups arrive.")
      : notApplicable(observation)
  }
  const advice = "Find out why no backup arrives: data written since the last one exists only once."
  if (newest === undefined) return errorIf(isLive)(`There are no files in ${backups}.`, advice)
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
