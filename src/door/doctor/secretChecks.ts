/** Checks of the settings themselves, and of the secrets among them. No secret is shown. */
import { stat } from "node:fs/promises"
import path from "node:path"
import { Array, Effect, Redacted, Result } from "effect"
import { mailSettings } from "../../shared/mail/mailSettings.ts"
import { readAddress } from "../../platform/postgres/databaseAddress.ts"
import { type Misspelt, misspelt, textOf } from "../../platform/runtime/misspelt.ts"
import { bytesOf, checkOf } from "../../platform/runtime/Secrets.ts"
import { type Check, error, errorIf, fine, Unmade, type Verdict, warning } from "./Finding.ts"
import { query, type Installation, settingsOf } from "./Installation.ts"

export const secretChecks = (installation: Installation): ReadonlyArray<Check> => [
  { name: "settings", look: settings(installation) },
  { name: "secrets", look: secrets(installation) },
  { name: "secret key", look: secretKey(installation) },
  { name: "secret files", look: secretFiles(installation) }
]

const settings = (installation: Installation) =>
  installation.settings.pipe(
    Effect.andThen(Effect.mapError(misspelt, ({ message }) => new Unmade({ reason: message }))),
    Effect.map(settingsVerdict),
    // A start refuses the same settings.
    Effect.catchTags({
      Unmade: ({ reason }) => Effect.succeed(error(reason, "Fix this: the service would not start."))
    })
  )

export const settingsVerdict = (misspelt: ReadonlyArray<Misspelt>): Verdict =>
  misspelt.length === 0
    ? fine("All settings are valid. SECRET_KEY and OPERATOR_TOKEN are strong.")
    : warning(misspelt.map(textOf).join(" "), "Correct the name, or unset the variable.")

// Passwords ---------------------------------------------------------------------

/** For passwords to other programs. Our own secrets are checked where they are read. */
const passwordMin = { length: 16, variety: 6 }

const secrets = (installation: Installation) =>
  Effect.gen(function* () {
    const { of, redisUrl } = yield* settingsOf(installation)
    const { smtpUrl } = of(mailSettings)
    return passwordsVerdict(installation, {
      ...(installation.embedded ? {} : { DATABASE_URL: yield* installation.url }),
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
      ...(smtpUrl === undefined ? {} : { SMTP_URL: smtpUrl })
    })
  })

/** `urls`: by their settings. */
export const passwordsVerdict = (
  { isLive }: Pick<Installation, "isLive">,
  urls: Readonly<Record<string, Redacted.Redacted>>
): Verdict => {
  const weak = Object.entries(urls).flatMap(([setting, url]) => (isWeak(passwordOf(setting, url)) ? [setting] : []))
  return weak.length === 0
    ? fine("No password in a setting is easy to guess.")
    : errorIf(isLive)(
        `The password in ${weak.join(" and ")} is easy to guess.`,
        `Use a random password of ${passwordMin.length} or more characters there.`
      )
}

const passwordOf = (setting: string, url: Redacted.Redacted): string => {
  // Only this address may name several servers.
  if (setting !== "DATABASE_URL") return URL.parse(Redacted.value(url))?.password ?? ""
  return Result.match(readAddress(url), { onFailure: () => "", onSuccess: ({ password }) => password })
}

/** Without a password another authentication may be used, such as a certificate. */
const isWeak = (password: string) =>
  password !== "" && (password.length < passwordMin.length || new Set(password).size < passwordMin.variety)

// The key and its database ------------------------------------------------------

const secretKey = (installation: Installation) =>
  Effect.gen(function* () {
    const { secretKey, secretKeyPrevious } = yield* settingsOf(installation)
    const [there] = yield* query(
      installation,
      (sql) => sql<{ readonly there: boolean }>`select to_regclass('secret_check') is not null as there`
    )
    if (there?.there !== true) return keyVerdict(undefined)
    const [kept] = yield* query(installation, (sql) => sql<{ readonly value: string }>`select value from secret_check`)
    if (kept === undefined) return keyVerdict(undefined)
    // During a rotation the database may have the previous key.
    const own = [secretKey, ...Array.fromNullishOr(secretKeyPrevious)].map((key) => checkOf(bytesOf(key)))
    return keyVerdict(own.includes(kept.value))
  })

/** `isSame`: undefined while the database has no key. */
export const keyVerdict = (isSame: boolean | undefined): Verdict => {
  if (isSame === undefined) return fine("The database has no SECRET_KEY yet.")
  return isSame
    ? fine("The database uses this SECRET_KEY.")
    : error("SECRET_KEY is not the one the database was created with.", "Set the original one.")
}

// Files -------------------------------------------------------------------------

/** In COFFER_HOME. */
const files = ["secret.key", "operator.token", "credentials.json", "postgres.password"]

const secretFiles = ({ home, isLive }: Installation) =>
  Effect.map(
    Effect.forEach(files, (file) =>
      Effect.tryPromise({
        try: () => stat(path.join(home, file)).then(({ mode }) => ((mode & 0o077) === 0 ? [] : [file]), orMissing),
        catch: (cause) => new Unmade({ reason: String(cause) })
      })
    ),
    (open) => filesVerdict({ home, isLive }, open.flat())
  )

const orMissing = (cause: NodeJS.ErrnoException): globalThis.Array<string> | Promise<never> =>
  cause.code === "ENOENT" ? [] : Promise.reject(cause)

/** `open`: files that others than their owner may read. */
export const filesVerdict = (
  { home, isLive }: Pick<Installation, "home" | "isLive">,
  open: ReadonlyArray<string>
): Verdict =>
  open.length === 0
    ? fine(`Secrets in ${home} can be read by their owner only.`)
    : errorIf(isLive)(
        `Other users can read ${open.join(", ")} in ${home}.`,
        "Restrict access (chmod 600), and rotate those secrets."
      )
