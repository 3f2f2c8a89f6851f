/** Checks of connected services, by calling them: Redis, the mail server, an OpenID provider. */
import { isIP } from "node:net"
import { Context, Effect, Layer, Redacted, References } from "effect"
import { reachMailServer } from "../../shared/mail/Mailer.ts"
import { type MailSettings, mailSettings } from "../../shared/mail/mailSettings.ts"
import { reachProvider } from "../../access/people/OpenId.ts"
import { type SignInSettings, signInSettings } from "../../access/people/signInSettings.ts"
import type { Settings } from "../../platform/runtime/Settings.ts"
import { type Check, error, errorIf, fine, notApplicable, type Verdict, warning } from "./Finding.ts"
import { type Installation, settingsOf } from "./Installation.ts"
import { isLoopback } from "../../platform/runtime/places.ts"

type Read = Settings["Service"]

export const serviceChecks = (installation: Installation): ReadonlyArray<Check> => [
  { name: "redis", look: Effect.flatMap(settingsOf(installation), (read) => redis(installation, read)) },
  {
    name: "mail",
    look: Effect.flatMap(settingsOf(installation), (read) =>
      mail(installation, { ...read.of(mailSettings), noOutbound: read.noOutbound })
    )
  },
  { name: "openid", look: Effect.flatMap(settingsOf(installation), openId) }
]

// Redis -------------------------------------------------------------------------

const redis = (installation: Installation, { redisUrl, runner }: Read): Effect.Effect<Verdict> => {
  if (redisUrl !== undefined) {
    return Effect.map(ping(redisUrl), (problem) =>
      redisVerdict(installation, new URL(Redacted.value(redisUrl)), problem)
    )
  }
  return Effect.succeed(
    runner === undefined
      ? notApplicable("A single process counts requests itself.")
      : warning(
          "REDIS_URL is not set: Postgres counts requests for all runners, with one more statement for most of them.",
          "Set REDIS_URL to a Redis shared by all runners."
        )
  )
}

/** `problem`: why it did not answer, if it did not. */
export const redisVerdict = (
  { isLive }: Pick<Installation, "isLive">,
  { hostname, protocol }: URL,
  problem: string | undefined
): Verdict => {
  if (problem !== undefined) {
    return error(`Redis at ${hostname} is not responding: ${problem}.`, "Start it, or correct REDIS_URL.")
  }
  if (protocol === "rediss:") return fine(`Redis at ${hostname} responds, over TLS.`)
  return isLoopback(hostname)
    ? fine(`Redis at ${hostname} responds, on this machine.`)
    : errorIf(isLive)(
        `Redis at ${hostname} responds, but the connection is not encrypted.`,
        "Use rediss:// in REDIS_URL."
      )
}

const ping = (url: Redacted.Redacted): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const NodeRedis = yield* Effect.promise(() => import("@effect/platform-node/NodeRedis"))
    const context = yield* Layer.build(
      NodeRedis.layer({ url: Redacted.value(url), socket: { connectTimeout: 3_000, reconnectStrategy: false } })
    )
    const { client, use } = Context.get(context, NodeRedis.NodeRedis)
    // `close` would wait for answers.
    yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))
    yield* use((connected) => connected.ping())
    return undefined
  }).pipe(
    Effect.scoped,
    Effect.catch(({ cause }) => Effect.succeed(cause instanceof Error ? cause.message || cause.name : String(cause))),
    // The client would log what the finding says.
    Effect.provideService(References.MinimumLogLevel, "None")
  )

// Mail --------------------------------------------------------------------------

type ReadOfMail = MailSettings & Pick<Read, "noOutbound">

const mail = (installation: Installation, read: ReadOfMail): Effect.Effect<Verdict> =>
  read.smtpUrl === undefined || read.noOutbound
    ? Effect.succeed(mailVerdict(installation, read, undefined))
    : Effect.map(reachMailServer(read.smtpUrl), (problem) => mailVerdict(installation, read, problem))

export const mailVerdict = (
  { home, isLive }: Pick<Installation, "home" | "isLive">,
  { mailFrom, noOutbound, smtpUrl }: ReadOfMail,
  problem: string | undefined
): Verdict => {
  if (smtpUrl === undefined) {
    const observation = `SMTP_URL is not set: emails are written to files in ${home}/mails.`
    return isLive ? warning(observation, "Set SMTP_URL, so that buyers receive their receipts.") : fine(observation)
  }
  if (noOutbound) return notApplicable("NO_OUTBOUND is set: no emails are sent, and the mail server was not checked.")
  const { hostname, protocol, searchParams } = new URL(Redacted.value(smtpUrl))
  if (problem !== undefined) {
    return error(`The mail server ${hostname} can't be used: ${problem}.`, "Correct SMTP_URL, or fix that server.")
  }
  const host = mailFrom.slice(mailFrom.lastIndexOf("@") + 1)
  if (isLoopback(host) || isIP(host) !== 0) {
    return warning(
      `Emails are sent from ${mailFrom}, which receivers will reject.`,
      "Set MAIL_FROM to an address of your own domain."
    )
  }
  return protocol === "smtps:" || isLoopback(hostname) || searchParams.get("requireTLS") === "true"
    ? fine(`The mail server ${hostname} accepts emails from ${mailFrom}.`)
    : warning(
        `The mail server ${hostname} responds, but emails would be sent unencrypted if it stopped offering TLS.`,
        "Use smtps:// in SMTP_URL, or add ?requireTLS=true."
      )
}

// The OpenID provider ------------------------------------------------------------

const openId = ({ noOutbound, of }: Read): Effect.Effect<Verdict> => {
  const { openId } = of(signInSettings)
  return openId === undefined || noOutbound
    ? Effect.succeed(openIdVerdict({ noOutbound, openId }, undefined))
    : Effect.map(reachProvider(openId), (problem) => openIdVerdict({ noOutbound, openId }, problem))
}

export const openIdVerdict = (
  { noOutbound, openId }: Pick<Read, "noOutbound"> & Pick<SignInSettings, "openId">,
  problem: string | undefined
): Verdict => {
  if (openId === undefined)
    return notApplicable("OPENID_ISSUER is not set: people sign in with email links and passkeys.")
  if (noOutbound) return notApplicable("NO_OUTBOUND is set: the OpenID provider was not checked.")
  const { host } = openId.issuer
  return problem === undefined
    ? fine(`The OpenID provider at ${host} matches OPENID_ISSUER.`)
    : error(
        `The OpenID provider at ${host} can't be used: ${problem.replace(/[.\s]+$/, "")}.`,
        "Correct OPENID_ISSUER, or fix that provider: until then, nobody can sign in with it."
      )
}
