/**
 * Environment variables, read once and checked; secret ones are redacted when printed. Rooms define some of their own
 * (`roomSettings.ts`), which are read here too. docs/settings.md lists the variables with their defaults.
 */
import { randomBytes } from "node:crypto"
import path from "node:path"
import { isVaried, tokenLengthMin } from "@coffer/model/strength"
import { readTwoOperators, type TwoOperators } from "@coffer/model/TwoOperators"
import { Config, Context, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { collectorOf, variables as telemetry } from "./collector.ts"
import { BadSetting, reachable, type RunnerPlace, runnerPlace, variables as runnerVariables } from "./places.ts"
import { DataDir } from "./DataDir.ts"
import { definedSettings, type RoomSettings, secretsOfFiles } from "./roomSettings.ts"

/**
 * Connections of a service. Three are for writes: two lanes, and what waits for locked rows. The cluster's locks hold
 * one, and the others read.
 */
export const connectionsMin = 7

export class Settings extends Context.Service<
  Settings,
  {
    readonly host: string
    /** TCP port of the HTTP server; 0 for any free one. */
    readonly port: number
    /** The port of the operator's API, `/metrics` and `/healthz`; undefined for the main port. */
    readonly admin: Place | undefined
    /** Where operators' browsers reach that port, without a slash at the end; undefined where there is none. */
    readonly adminUrl: string | undefined
    /** Where buyers and merchants reach this service, without a slash at the end. */
    readonly publicUrl: string
    /** 32 bytes, base64: signs checkout links, peppers key hashes, encrypts webhook secrets. */
    readonly secretKey: Redacted.Redacted
    /** The previous key during a rotation, until all texts are encrypted with the new one; undefined otherwise. */
    readonly secretKeyPrevious: Redacted.Redacted | undefined
    readonly operatorToken: Redacted.Redacted
    /** Where that token is kept; undefined where OPERATOR_TOKEN is set. */
    readonly operatorTokenFile: string | undefined
    readonly twoOperators: TwoOperators
    /** Allows sandbox webhooks to http and to private addresses. Live webhooks never go there. */
    readonly allowPrivateWebhooks: boolean
    /** The poll interval of workers, after which they look for due rows that other runners have left. */
    readonly workerPoll: Duration.Duration
    readonly keep: Retention
    /** The time from one round of the auditor to the next. */
    readonly auditInterval: Duration.Duration
    /** Where anchors are written outside the database; undefined for nowhere. */
    readonly anchorFile: string | undefined
    /** A client that neither sends nor receives anything for this long during a request is disconnected. */
    readonly clientPatience: Duration.Duration
    /** The maximum of client connections. One takes some 20 kB while it is idle; further ones are closed. */
    readonly clientConnections: number
    /** Whether the database is the embedded one, so that all runners are on this machine and in the same hands. */
    readonly embedded: boolean
    /** Our place in a cluster; undefined for a single process. */
    readonly runner: RunnerPlace | undefined
    /** The share of answers below 500 that is logged; undefined for none. */
    readonly accessLog: { readonly share: number } | undefined
    /** Where all runners count requests together; undefined if each counts for itself. */
    readonly redisUrl: Redacted.Redacted | undefined
    /** Addresses and ranges of the proxies whose `X-Forwarded-For` is trusted, not yet parsed. */
    readonly trustedProxies: string
    /** COFFER_HOME, as an absolute path. */
    readonly home: string
    /** The folder of backups. */
    readonly backups: string | undefined
    /** A restored copy for a trial: it makes no outside calls (docs/decisions/0067). */
    readonly noOutbound: boolean
    /** The settings of a room. */
    readonly of: <A>(room: RoomSettings<A>) => A
  }
>()("@coffer/Settings") {}

/** For people: the meaning of NO_OUTBOUND. */
export const closedText = "NO_OUTBOUND is set: no outbound calls are made, and work that needs them is paused."

export interface Place {
  readonly host: string
  readonly port: number
}

export { BadSetting }

const anchorFile = Config.option(Config.NonEmptyString("ANCHOR_FILE"))

const backups = Config.option(Config.NonEmptyString("BACKUP_DIR"))

const noOutbound = Config.Boolean("NO_OUTBOUND").pipe(Config.withDefault(false))

/** Set by a parent for its runners (supervise.ts): the database is the embedded one, which the parent has started. */
export const parentsDatabase = "COFFER_PARENTS_DATABASE"

/** Read before anything is started: which database is used, and where telemetry goes. */
export const startup = Config.all({
  home: Config.NonEmptyString("COFFER_HOME").pipe(Config.withDefault(".coffer")),
  databaseUrl: Config.option(Config.Redacted("DATABASE_URL")),
  ownerUrl: Config.option(Config.Redacted("MIGRATION_DATABASE_URL")),
  ofParent: Config.Boolean(parentsDatabase).pipe(Config.withDefault(false)),
  connections: Config.schema(
    Schema.FiniteFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(connectionsMin)),
    "DATABASE_CONNECTIONS"
  ).pipe(Config.withDefault(20)),
  anchorFile,
  telemetry: Config.all(telemetry),
  backups,
  noOutbound
})

/** In COFFER_HOME. */
const tokenFile = "operator.token"

const variables = Config.all({
  host: Config.option(Config.NonEmptyString("HOST")),
  port: Config.Port("PORT").pipe(Config.withDefault(8080)),
  adminHost: Config.option(Config.NonEmptyString("ADMIN_HOST")),
  adminPort: Config.option(Config.Port("ADMIN_PORT")),
  adminUrl: Config.option(Config.URL("ADMIN_URL")),
  publicUrl: Config.option(Config.URL("PUBLIC_URL")),
  secretKey: Config.option(Config.Redacted("SECRET_KEY")),
  secretKeyPrevious: Config.option(Config.Redacted("SECRET_KEY_PREVIOUS")),
  operatorToken: Config.option(Config.Redacted("OPERATOR_TOKEN")),
  twoOperators: Config.String("TWO_OPERATORS").pipe(Config.withDefault("")),
  allowPrivateWebhooks: Config.option(Config.Boolean("ALLOW_PRIVATE_WEBHOOKS")),
  workerPoll: Config.Duration("WORKER_POLL").pipe(Config.withDefault(Duration.seconds(5))),
  clientPatience: Config.Duration("CLIENT_PATIENCE").pipe(Config.withDefault(Duration.minutes(1))),
  clientConnections: Config.schema(
    Schema.FiniteFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(1)),
    "CLIENT_CONNECTIONS"
  ).pipe(Config.withDefault(10_000)),
  keepEvents: Config.option(Config.Duration("KEEP_EVENTS")),
  keepDeliveries: Config.option(Config.Duration("KEEP_DELIVERIES")),
  keepMails: Config.option(Config.Duration("KEEP_MAILS")),
  keepSandboxOrders: Config.option(Config.Duration("KEEP_SANDBOX_ORDERS")),
  keepApiLogs: Config.Duration("KEEP_API_LOGS").pipe(Config.withDefault(Duration.days(30))),
  keepAnswers: Config.Duration("KEEP_IDEMPOTENCY_KEYS").pipe(Config.withDefault(Duration.days(1))),
  auditInterval: Config.Duration("AUDIT_INTERVAL").pipe(Config.withDefault(Duration.hours(1))),
  anchorFile,
  ...runnerVariables,
  accessLog: Config.Boolean("ACCESS_LOG").pipe(Config.withDefault(false)),
  accessLogSample: Config.schema(
    Schema.FiniteFromString.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
    "ACCESS_LOG_SAMPLE"
  ).pipe(Config.withDefault(1)),
  redisUrl: Config.option(Config.Redacted("REDIS_URL")),
  trustedProxies: Config.String("TRUSTED_PROXIES").pipe(Config.withDefault("")),
  backups,
  noOutbound,
  telemetry: Config.all(telemetry)
})

/** `embedded`: the default on a laptop, which generates the secrets that a server's operator has to set. */
export const layer = (options: { readonly embedded: boolean }) =>
  Layer.effect(
    Settings,
    Effect.gen(function* () {
      const read = yield* variables
      const home = yield* DataDir
      // Used before these settings are read. It is checked here as well, so that the doctor reports it.
      yield* collectorOf(read.telemetry)
      // An address of IPv6 may be written as a URL has it.
      const ownHost = Option.map(read.host, (text) => text.replace(/^\[(.*)\]$/, "$1"))
      const host = Option.getOrElse(ownHost, () => (options.embedded ? "127.0.0.1" : "0.0.0.0"))

      const secretKey = yield* Option.match(read.secretKey, {
        onSome: Effect.succeed,
        onNone: () =>
          options.embedded
            ? Effect.map(home.keep("secret.key", randomText(32, "base64")), Redacted.make)
            : Effect.fail(
                new BadSetting({
                  message:
                    "SECRET_KEY is required with DATABASE_URL: 32 random bytes, base64 (openssl rand -base64 32)."
                })
              )
      })
      yield* checkKey("SECRET_KEY", secretKey)
      const secretKeyPrevious = Option.getOrUndefined(read.secretKeyPrevious)
      if (secretKeyPrevious !== undefined) yield* checkKey("SECRET_KEY_PREVIOUS", secretKeyPrevious)

      const operatorToken = yield* Option.match(read.operatorToken, {
        onSome: Effect.succeed,
        onNone: () => Effect.map(home.keep(tokenFile, randomText(32, "base64url")), Redacted.make)
      })
      const token = Redacted.value(operatorToken)
      if (token.length < tokenLengthMin || !isVaried(token)) {
        return yield* new BadSetting({
          message: `OPERATOR_TOKEN is too easy to guess: use ${tokenLengthMin} or more random characters.`
        })
      }

      const publicUrl = Option.isSome(read.publicUrl)
        ? yield* browsersAddress("PUBLIC_URL", read.publicUrl.value)
        : `http://${reachable(host)}:${read.port}`

      const admin = yield* adminPlace(read)

      return Settings.of({
        host,
        port: read.port,
        admin,
        adminUrl: yield* adminAddress(read.adminUrl, admin),
        publicUrl,
        secretKey,
        secretKeyPrevious,
        operatorToken,
        operatorTokenFile: Option.isSome(read.operatorToken) ? undefined : path.join(home.path, tokenFile),
        twoOperators: yield* twoOperatorsOf(read.twoOperators),
        allowPrivateWebhooks: Option.getOrElse(read.allowPrivateWebhooks, () => options.embedded),
        workerPoll: read.workerPoll,
        keep: yield* readRetention(read),
        auditInterval: read.auditInterval,
        anchorFile: Option.getOrUndefined(read.anchorFile),
        clientPatience: read.clientPatience,
        clientConnections: read.clientConnections,
        embedded: options.embedded,
        runner: yield* runnerPlace(read),
        accessLog: read.accessLog ? { share: read.accessLogSample } : undefined,
        redisUrl: yield* redisAddress(read.redisUrl),
        trustedProxies: read.trustedProxies,
        home: home.path,
        backups: Option.getOrUndefined(read.backups),
        noOutbound: read.noOutbound,
        of: yield* readRooms(publicUrl)
      })
    })
  )

/** Reads each setting, including those of loaded rooms. */
export const askForAll = Effect.gen(function* () {
  yield* secretsOfFiles
  yield* startup
  yield* variables
  yield* readRooms("http://127.0.0.1")
})

const readRooms = Effect.fnUntraced(function* (publicUrl: string) {
  const values = new Map<RoomSettings<unknown>, unknown>()
  for (const room of definedSettings()) values.set(room, yield* room.read(publicUrl))
  return <A>(room: RoomSettings<A>): A => values.get(room) as A
})

/** On loopback by default, wherever the other port is. */
const adminPlace = Effect.fnUntraced(function* (read: {
  readonly port: number
  readonly adminHost: Option.Option<string>
  readonly adminPort: Option.Option<number>
}) {
  if (Option.isNone(read.adminPort)) {
    if (Option.isNone(read.adminHost)) return undefined
    return yield* new BadSetting({ message: "ADMIN_HOST needs ADMIN_PORT: set both, or neither." })
  }
  if (read.adminPort.value === read.port && read.port !== 0) {
    return yield* new BadSetting({ message: "ADMIN_PORT must differ from PORT." })
  }
  return { host: Option.getOrElse(read.adminHost, () => "127.0.0.1"), port: read.adminPort.value }
})

const adminAddress = Effect.fnUntraced(function* (url: Option.Option<URL>, admin: Place | undefined) {
  if (Option.isSome(url) && admin === undefined) {
    return yield* new BadSetting({ message: "ADMIN_URL needs ADMIN_PORT: set both, or neither." })
  }
  if (admin === undefined) return undefined
  return Option.isSome(url)
    ? yield* browsersAddress("ADMIN_URL", url.value)
    : `http://${reachable(admin.host)}:${admin.port}`
})

/** The base of every address for people. */
const browsersAddress = Effect.fnUntraced(function* (name: string, url: URL) {
  const { hash, href, password, protocol, search, username } = url
  // The bad value is not shown: it may hold the password.
  if (!/^https?:$/.test(protocol) || `${username}${password}${search}${hash}` !== "") {
    return yield* new BadSetting({
      message:
        `${name} must look like https://pay.example, without a user, a password, a query or a fragment: ` +
        (name === "PUBLIC_URL" ? "buyers see it." : "links in sign-in emails start with it.")
    })
  }
  return href.replace(/\/+$/, "")
})

const checkKey = Effect.fnUntraced(function* (name: string, key: Redacted.Redacted) {
  const bytes = Buffer.from(Redacted.value(key), "base64")
  if (bytes.length !== 32) {
    return yield* new BadSetting({
      message: `${name} must be 32 bytes, base64 (for example: openssl rand -base64 32).`
    })
  }
  if (!isVaried(bytes)) {
    return yield* new BadSetting({ message: `${name} is too easy to guess: use 32 random bytes.` })
  }
})

const redisAddress = Effect.fnUntraced(function* (read: Option.Option<Redacted.Redacted>) {
  if (Option.isNone(read)) return undefined
  const url = URL.parse(Redacted.value(read.value))
  // The client expects this form, where a number after the slash names the database.
  if (url === null || !/^rediss?:$/.test(url.protocol) || !/^(\/\d*)?$/.test(url.pathname)) {
    return yield* new BadSetting({
      message: "REDIS_URL must look like redis://user:password@localhost:6379/0, or rediss:// for TLS."
    })
  }
  return read.value
})

const randomText = (bytes: number, encoding: "base64" | "base64url") =>
  Effect.sync(() => randomBytes(bytes).toString(encoding))

const twoOperatorsOf = (text: string) => {
  const read = readTwoOperators(text)
  return read === undefined
    ? Effect.fail(
        new BadSetting({
          message:
            "TWO_OPERATORS must be a comma-separated list of payouts:<minor units>, live_keys, fees, channels and " +
            "approvals."
        })
      )
    : Effect.succeed(read)
}

// How long rows are kept, by kind (docs/operating.md, How long rows stay) -------- A lower bound protects rows that are
// needed: API logs by the specification, an Idempotency-Key by retries, an event by its deliveries.

export interface Retention {
  /** Undefined: for ever. */
  readonly events: Duration.Duration | undefined
  readonly deliveries: Duration.Duration | undefined
  readonly mails: Duration.Duration | undefined
  /** Orders of sandboxes that ended without a payment. */
  readonly sandboxOrders: Duration.Duration | undefined
  /** Whole days. */
  readonly apiLogDays: number
  /** Answers of Idempotency-Keys. */
  readonly answers: Duration.Duration
}

type Kept = "keepEvents" | "keepDeliveries" | "keepMails" | "keepSandboxOrders" | "keepApiLogs" | "keepAnswers"
type Read = Pick<Config.Success<typeof variables>, Kept>

/** At least as long as API logs, by which merchants investigate. */
const keptMin = Duration.days(30)
/** Each day is two partitions, which a list locks with their indexes. Postgres has room for some thousand locks. */
const apiLogDaysMax = 90
/** An erasure reads all answers. */
const answersMax = Duration.days(30)

const readRetention = Effect.fnUntraced(function* (read: Read): Effect.fn.Return<Retention, BadSetting> {
  const events = yield* atLeast("KEEP_EVENTS", read.keepEvents)
  const deliveries = yield* atLeast("KEEP_DELIVERIES", read.keepDeliveries)
  if (events !== undefined && (deliveries === undefined || Duration.isLessThan(events, deliveries))) {
    return yield* new BadSetting({
      message: "KEEP_EVENTS needs KEEP_DELIVERIES and must not be shorter: stored deliveries refer to their events."
    })
  }
  const apiLogDays = Duration.toDays(read.keepApiLogs)
  if (!Number.isInteger(apiLogDays) || apiLogDays < Duration.toDays(keptMin) || apiLogDays > apiLogDaysMax) {
    return yield* new BadSetting({ message: `KEEP_API_LOGS must be 30 to ${apiLogDaysMax} whole days.` })
  }
  const answers = read.keepAnswers
  if (Duration.isLessThan(answers, Duration.days(1)) || Duration.isGreaterThan(answers, answersMax)) {
    return yield* new BadSetting({ message: "KEEP_IDEMPOTENCY_KEYS must be 24 hours to 30 days." })
  }
  return {
    events,
    deliveries,
    mails: yield* atLeast("KEEP_MAILS", read.keepMails),
    sandboxOrders: yield* atLeast("KEEP_SANDBOX_ORDERS", read.keepSandboxOrders),
    apiLogDays,
    answers
  }
})

const atLeast = (name: string, kept: Option.Option<Duration.Duration>) =>
  Option.isSome(kept) && Duration.isLessThan(kept.value, keptMin)
    ? Effect.fail(new BadSetting({ message: `${name} must be 30 days or more.` }))
    : Effect.succeed(Option.getOrUndefined(kept))
