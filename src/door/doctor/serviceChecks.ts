/** Checks of the programs that the service talks to, by talking to them: Redis, the mail server, an OpenID provider. */
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
      ? notApplicable("One process counts requests by itself.")
      : warning(
          "REDIS_URL is not set: Postgres counts for all runners, by one more statement for most requests.",
          "Set REDIS_URL to one Redis for all runners."
        )
  )
}

/** `problem`: why it did not answer, if so. */
export const redisVerdict = (
  { isLive }: Pick<Installation, "isLive">,
  { hostname, protocol }: URL,
  problem: string | undefined
): Verdict => {
  if (problem !== undefined) {
    return error(`Redis at ${hostname} does not answer: ${problem}.`, "Start it, or put REDIS_URL right.")
  }
  if (protocol === "rediss:") return fine(`Redis at ${hostname} answers, over TLS.`)
  return isLoopback(hostname)
    ? fine(`Redis at ${hostname} answers, on this machine.`)
    : errorIf(isLive)(`Redis at ${hostname} answers, and the connection is in clear.`, "Use rediss:// in REDIS_URL.")
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
    const observation = `SMTP_URL is not set: mails become files in ${home}/mails.`
    return isLive ? warning(observation, "Set SMTP_URL, so that buyers get their receipts.") : fine(observation)
  }
  if (noOutbound) return notApplicable("NO_OUTBOUND is set: no mail goes out, and the mail server was not asked.")
  const { hostname, protocol, searchParams } = new URL(Redacted.value(smtpUrl))
  if (problem !== undefined) {
    return error(`The mail server ${hostname} cannot be used: ${problem}.`, "Put SMTP_URL right, or mend that server.")
  }
  const host = mailFrom.slice(mailFrom.lastIndexOf("@") + 1)
  if (isLoopback(host) || isIP(host) !== 0) {
    return warning(`Mails come from ${mailFrom}, which no receiver believes.`, "Set MAIL_FROM to an address of yours.")
  }
  return protocol === "smtps:" || isLoopback(hostname) || searchParams.get("requireTLS") === "true"
    ? fine(`The mail server ${hostname} takes mails from ${mailFrom}.`)
    : warning(
        `The mail server ${hostname} answers, and mails would go there in clear if it stopped offering TLS.`,
        "Use smtps:// in SMTP_URL, or add ?requireTLS=true to it."
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
  if (openId === undefined) return notApplicable("OPENID_ISSUER is not set: people sign in by links and passkeys.")
  if (noOutbound) return notApplicable("NO_OUTBOUND is set: the OpenID provider was not asked.")
  const { host } = openId.issuer
  return problem === undefined
    ? fine(`The OpenID provider at ${host} describes itself as OPENID_ISSUER says.`)
    : error(
        `The OpenID provider at ${host} cannot be used: ${problem.replace(/[.\s]+$/, "")}.`,
        "Put OPENID_ISSUER right, or mend that provider: nobody signs in there until then."
      )
}
