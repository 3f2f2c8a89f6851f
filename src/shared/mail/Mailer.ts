/**
 * Sends one mail through the operator's mail server (SMTP_URL). Without one, or with NO_OUTBOUND, it becomes an `.eml`
 * file in the data directory, which any mail program opens, and the log says where.
 */
import { systemProblem } from "@coffer/rules/systemProblem"
import type { NodemailerError } from "nodemailer"
import type { ConnectionUrlOptions } from "nodemailer/lib/shared"
import { Context, Effect, FileSystem, Layer, Metric, Option, Redacted, Schema } from "effect"
import { DataDir } from "../../platform/runtime/DataDir.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { asciiAddress, mailSettings } from "./mailSettings.ts"

export interface Message {
  /** The Message-ID, the same at every attempt, so that mail programs show the mail once. */
  readonly id: string
  readonly to: string
  /** The name beside the sender's address. */
  readonly fromName: string
  /** The address for answers, if any. */
  readonly replyTo?: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The mail server has certainly not accepted the mail. `forGood`: it will not accept it later either. */
export class MailNotTaken extends Schema.TaggedError<MailNotTaken>()("MailNotTaken", {
  reason: Schema.String,
  forGood: Schema.Boolean
}) {}

/** The connection ended after the mail was sent: it is unknown whether the mail server has accepted it. */
export class MailUncertain extends Schema.TaggedError<MailUncertain>()("MailUncertain", { reason: Schema.String }) {}

export class Mailer extends Context.Service<
  Mailer,
  {
    readonly send: (message: Message) => Effect.Effect<void, MailNotTaken | MailUncertain>
    /** Removes this machine's files of the mails with these numbers. */
    readonly forget: (ids: ReadonlyArray<string>) => Effect.Effect<void>
    /** The numbers of mails that this machine keeps as files. */
    readonly kept: Effect.Effect<ReadonlyArray<string>>
  }
>()("@coffer/mail/Mailer") {}

/** Loaded with the first mail, or at the start where a mail server is set. */
const library = Effect.promise(() => (loading ??= load()))
let loading: ReturnType<typeof load> | undefined

const load = () =>
  Promise.all([import("nodemailer"), import("nodemailer/lib/shared"), import("nodemailer/lib/smtp-connection")]).then(
    ([{ createTransport }, { parseConnectionUrl }, { default: SMTPConnection }]) => {
      const composer = createTransport({ streamTransport: true, buffer: true, newline: "windows" })
      return { composer, createTransport, parseConnectionUrl, SMTPConnection }
    }
  )
type Library = Effect.Success<typeof library>

const outcomes = ["sent", "not_taken", "uncertain"] as const
const mailsBy = Metric.counter("coffer_mails_total", {
  description: "Attempts to send a mail, by outcome",
  incremental: true
})
const countOutcome = (outcome: (typeof outcomes)[number]) => Metric.withAttributes(mailsBy, { outcome })

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    yield* Effect.forEach(outcomes, (outcome) => Metric.update(countOutcome(outcome), 0), { discard: true })
    const { noOutbound, of } = yield* Settings
    const { smtpUrl } = of(mailSettings)
    return smtpUrl === undefined || noOutbound ? layerFiles : layerSmtp(smtpUrl)
  })
)

// SMTP ------------------------------------------------------------------------

/** One attempt ends within these, in milliseconds. */
const patience = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

const layerSmtp = (url: Redacted.Redacted) =>
  Layer.effect(
    Mailer,
    Effect.gen(function* () {
      const { mailFrom } = (yield* Settings).of(mailSettings)
      const nodemailer = yield* library
      const options = { ...nodemailer.parseConnectionUrl(Redacted.value(url)), ...patience }
      return Mailer.of({
        ...(yield* makeFolder),
        send: (message) =>
          Effect.flatMap(compose(message, mailFrom), (mail) => handOver(nodemailer, options, mail)).pipe(
            Effect.tap(() => Metric.update(countOutcome("sent"), 1)),
            Effect.tapError(({ _tag }) =>
              Metric.update(countOutcome(_tag === "MailUncertain" ? "uncertain" : "not_taken"), 1)
            )
          )
      })
    })
  )

/** Connects to the mail server and logs in. Returns why that failed; undefined when it did not. */
export const reachMailServer = (url: Redacted.Redacted): Effect.Effect<string | undefined> =>
  Effect.flatMap(library, ({ createTransport, parseConnectionUrl }) =>
    Effect.tryPromise(() => createTransport({ ...parseConnectionUrl(Redacted.value(url)), ...patience }).verify())
  ).pipe(
    Effect.as(undefined),
    Effect.catch(({ cause }) => Effect.succeed(cause instanceof Error ? cause.message : String(cause)))
  )

/**
 * By the connection itself and not by a transport, since only here is it known how far a failed attempt came: before
 * `send` the mail was certainly not sent.
 */
const handOver = ({ SMTPConnection }: Library, options: ConnectionUrlOptions, { bytes, envelope }: Composed) =>
  Effect.callback<void, MailNotTaken | MailUncertain>((resume) => {
    const connection = new SMTPConnection(options)
    let isOnItsWay = false
    const finish = (error: NodemailerError | null | undefined) => {
      connection.close()
      resume(error ? Effect.fail(failureOf(error, isOnItsWay)) : Effect.void)
    }
    const send = () => {
      isOnItsWay = true
      connection.send(envelope, bytes, finish)
    }
    const login = () =>
      options.auth === undefined ? send() : connection.login(options.auth, (error) => (error ? finish(error) : send()))
    // It may emit a second error while it closes.
    connection.on("error", finish)
    connection.connect((error) => (error ? finish(error) : login()))
    return Effect.sync(() => connection.close())
  })

/** An error reply of the server is definite, at every stage. */
const failureOf = ({ message, responseCode }: NodemailerError, isOnItsWay: boolean) => {
  if (responseCode !== undefined) return new MailNotTaken({ reason: message, forGood: responseCode >= 500 })
  return isOnItsWay ? new MailUncertain({ reason: message }) : new MailNotTaken({ reason: message, forGood: false })
}

interface Composed {
  readonly bytes: Buffer
  readonly envelope: { readonly from: string; readonly to: string }
}

const compose = Effect.fnUntraced(function* (message: Message, mailFrom: string) {
  const to = asciiAddress(message.to)
  if (to === undefined) {
    return yield* new MailNotTaken({ reason: "the address has no valid domain", forGood: true })
  }
  const { composer } = yield* library
  const { message: bytes } = yield* Effect.promise(() => composer.sendMail(partsOf({ ...message, to }, mailFrom)))
  return { bytes: bytes as Buffer, envelope: { from: mailFrom, to } } satisfies Composed
})

/** For an answer's address nodemailer makes the ASCII form as well. */
const partsOf = ({ fromName, html, id, replyTo, subject, text, to }: Message, mailFrom: string) => ({
  messageId: `<${id}@${mailFrom.slice(mailFrom.lastIndexOf("@") + 1)}>`,
  from: { name: fromName, address: mailFrom },
  to: { name: "", address: to },
  ...(replyTo === undefined ? {} : { replyTo: { name: "", address: replyTo } }),
  subject,
  text,
  html,
  // An out-of-office mail must not come back.
  headers: { "Auto-Submitted": "auto-generated" }
})

// Files -----------------------------------------------------------------------

/** Mails that are kept as files: those that were written last. */
export const mailFilesMax = 1_000
/** The folder is looked at once for so many mails. */
const lookedAtAfter = 100

/** The folder of mails. It may exist from a time when no mail server was used. */
const makeFolder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = `${(yield* DataDir).path}/mails`
  const isMail = (name: string) => name.endsWith(".eml")
  return {
    // A folder has a thousand files at most, and an erasure may name a hundred times as many mails.
    forget: Effect.fnUntraced(
      function* (ids: ReadonlyArray<string>) {
        if (ids.length === 0) return
        const wanted = new Set(ids.map((id) => `${id}.eml`))
        const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), (): Array<string> => [])
        const found = names.filter((name) => wanted.has(name))
        yield* Effect.forEach(found, (name) => fs.remove(`${folder}/${name}`, { force: true }), { discard: true })
      },
      Effect.catchTags({ PlatformError: Effect.die })
    ),
    kept: Effect.orElseSucceed(fs.readDirectory(folder), (): Array<string> => []).pipe(
      Effect.map((names) => names.filter(isMail).map((name) => name.slice(0, -".eml".length)))
    )
  }
})

const layerFiles = Layer.effect(
  Mailer,
  Effect.gen(function* () {
    const { mailFrom } = (yield* Settings).of(mailSettings)
    const home = yield* DataDir
    const fs = yield* FileSystem.FileSystem
    const folder = `${home.path}/mails`
    const kept = yield* makeFolder
    const dropOldest = Effect.gen(function* () {
      const names = (yield* fs.readDirectory(folder)).filter((name) => name.endsWith(".eml"))
      const files = yield* Effect.forEach(names, (name) =>
        Effect.map(fs.stat(`${folder}/${name}`), ({ mtime }) => ({
          name,
          at: Option.getOrUndefined(mtime)?.getTime() ?? 0
        }))
      )
      const oldest = files
        .toSorted((one, other) => one.at - other.at)
        .slice(0, Math.max(0, files.length - mailFilesMax))
      yield* Effect.forEach(oldest, ({ name }) => fs.remove(`${folder}/${name}`), { discard: true })
    })
    let written = 0
    return Mailer.of({
      ...kept,
      send: Effect.fnUntraced(
        function* (message) {
          const { bytes } = yield* compose(message, mailFrom)
          const file = `mails/${message.id}.eml`
          yield* fs.makeDirectory(folder, { recursive: true })
          yield* home.write(file, bytes.toString("utf8"))
          // The mail is written: a failure to drop older ones is ignored.
          if (written++ % lookedAtAfter === 0) yield* Effect.ignore(dropOldest, { log: "Warn" })
          yield* Metric.update(countOutcome("sent"), 1)
          yield* Effect.logInfo(`no mail server is configured: the email was written to ${home.path}/${file}`)
        },
        Effect.mapError((error) =>
          error._tag === "MailNotTaken" ? error : new MailNotTaken({ reason: systemProblem(error), forGood: false })
        )
      )
    })
  })
)
