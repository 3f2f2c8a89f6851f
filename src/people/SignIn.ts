/**
 * Front door to signing in: links by mail, and sessions (docs/security.md). A link works once, for 15 minutes, in the
 * browser that asked for it: somebody else who reads the mail, or gets its address, signs in nowhere with it. Each
 * request of a session reads its row, so a session that is ended is over on all runners at once.
 */
import { installation } from "@coffer/model/PersonRole"
import type { PersonId } from "@coffer/model/Ids"
import { linkValidity, normalEmail, sessionLimits } from "@coffer/rules/people/signIn"
import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { type Message, Mailer } from "../mail/Mailer.ts"
import { storableText } from "../platform/postgres/storable.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { Secrets, sha256 } from "../platform/runtime/Secrets.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { span } from "../platform/runtime/span.ts"
import * as Challenges from "./Challenges.ts"
import * as PasskeyStore from "./PasskeyStore.ts"
import * as PeopleStore from "./PeopleStore.ts"
import * as PersonSessionStore from "./PersonSessionStore.ts"
import { invitationMail, passkeyMail, recoveryMail, signInMail } from "./signInMail.ts"
import { signInSettings } from "./signInSettings.ts"

export type { Session } from "./PersonSessionStore.ts"

/** The link was used, is too old, is of another browser, or never was. */
export class LinkNotValid extends Schema.TaggedError<LinkNotValid>()("LinkNotValid", {}) {}

/** The person has no such session, or it has ended. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  sessionId: Schema.String
}) {}

/** The link or the provider's word was good, but the installation demands passkeys of this person, who has one. */
export class PasskeyRequired extends Schema.TaggedError<PasskeyRequired>()("PasskeyRequired", {}) {}

/** The browser in which a session is. */
export interface Browser {
  readonly ip: string
  readonly userAgent: string
}

export interface SignedIn {
  readonly person: PeopleStore.Person
  readonly session: PersonSessionStore.Session
  /** The installation demands a passkey, and none has opened the session: it may do nothing but register one. */
  readonly needsPasskey: boolean
}

export interface Opened extends SignedIn {
  /** It goes into the cookie. */
  readonly secret: string
}

/** The way in that opens a session. */
interface Opener extends Pick<PersonSessionStore.NewSession, "way" | "passkeyId"> {
  readonly is_strong?: boolean
}

export class SignIn extends Context.Service<
  SignIn,
  {
    /**
     * Sends a link if somebody has this address, and answers at once in any case. `browser`: the secret in the cookie
     * of the browser that asks. `at`: the address of the console that it sees. Returns when a link of now stops working.
     */
    readonly ask: (email: string, browser: string, at: string) => Effect.Effect<DateTime.Utc>
    /** Opens a session by a link. */
    readonly use: (
      token: string,
      secret: string,
      browser: Browser
    ) => Effect.Effect<Opened, LinkNotValid | PasskeyRequired>
    /** Opens a session of somebody who has shown otherwise who it is. None: the person has no role. */
    readonly openBy: (
      personId: PersonId,
      opener: Opener,
      browser: Browser
    ) => Effect.Effect<Option.Option<Opened>, PasskeyRequired>
    /** Whether the installation demands a passkey of the person. */
    readonly isDemanded: (personId: PersonId, isOperator: boolean) => Effect.Effect<boolean>
    /** The address of a link that works in any browser. It is for the terminal in which the service is started. */
    readonly linkFor: (person: PeopleStore.Person) => Effect.Effect<string>
    /** The person whose session has this secret. */
    readonly bySecret: (secret: string) => Effect.Effect<Option.Option<SignedIn>>
    /** Newest first. */
    readonly sessionsOf: (personId: PersonId) => Effect.Effect<ReadonlyArray<PersonSessionStore.Session>>
    readonly end: (personId: PersonId, sessionId: string) => Effect.Effect<PersonSessionStore.Session, SessionNotFound>
    /** Ends every session of the person, and links that were not used. */
    readonly endAll: (personId: PersonId) => Effect.Effect<ReadonlyArray<PersonSessionStore.Session>>
    /** Sends a mail that says that the person has one more passkey, or one less. */
    readonly tellPasskey: (
      person: Pick<PeopleStore.Person, "email" | "name">,
      change: "added" | "removed",
      passkey: Pick<PasskeyStore.Passkey, "passkey_id" | "name">
    ) => Effect.Effect<void>
    /** Sends a link that works once in any browser: the person may have lost the one that it had. */
    readonly tellRecovered: (person: PeopleStore.Person) => Effect.Effect<void>
    /** Sends a mail that says where to sign in. */
    readonly tellInvited: (person: PeopleStore.Person, merchantName: string | undefined) => Effect.Effect<void>
    /** Removes what has expired, at most `limit` of each kind; how many they were. */
    readonly dropExpired: (now: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("@coffer/people/SignIn") {}

const userAgentLengthMax = 300
/** How often the time of the last request is written. */
const touchedEach = Duration.minutes(1)

export const layer = Layer.effect(
  SignIn,
  Effect.gen(function* () {
    const people = yield* PeopleStore.PeopleStore
    const store = yield* PersonSessionStore.PersonSessionStore
    const secrets = yield* Secrets
    const challenges = yield* Challenges.Challenges
    const scope = yield* Effect.scope
    const { insertLink, send, sendLink } = yield* makeLinks
    const addressFor = makeAddressFor(yield* Settings)
    const { isDemanded, needs, open } = yield* makeOpening

    return SignIn.of({
      ask: span("SignIn.ask")(function* (email, browser, at) {
        yield* Effect.forkIn(
          Effect.ignoreCause(sendLink(storableText(normalEmail(email)), browser, at), { log: "Warn" }),
          scope
        )
        return DateTime.addDuration(yield* currentTime, linkValidity)
      }),
      use: span("SignIn.use")(function* (token, browserSecret, browser) {
        const now = yield* currentTime
        const personId = yield* store.useLink(secrets.keyHash(token), secrets.keyHash(browserSecret), now)
        if (Option.isNone(personId)) return yield* new LinkNotValid({})
        const person = yield* people.find(personId.value)
        if (!hasRoles(person)) return yield* new LinkNotValid({})
        const opened = yield* open(person.value, { way: "link", passkeyId: null }, browser)
        return Option.isSome(opened) ? opened.value : yield* new LinkNotValid({})
      }),
      openBy: span("SignIn.openBy")(function* (personId, opener, browser) {
        const person = yield* people.find(personId)
        return hasRoles(person) ? yield* open(person.value, opener, browser) : Option.none()
      }),
      tellRecovered: Effect.fnUntraced(function* (person) {
        const { email: to, name, person_id } = person
        const link = yield* insertLink(person_id, null, addressFor(person))
        if (Option.isSome(link)) {
          yield* send(recoveryMail({ to, name, link: link.value, id: mailId(link.value) }))
        }
      }),
      linkFor: (person) => Effect.map(insertLink(person.person_id, null, addressFor(person)), Option.getOrThrow),
      bySecret: Effect.fnUntraced(function* (secret) {
        const now = yield* currentTime
        const session = yield* store.byTokenHash(secrets.keyHash(secret), now)
        if (Option.isNone(session)) return Option.none()
        const person = yield* people.find(session.value.person_id)
        if (!hasRoles(person)) return Option.none()
        const unseen = DateTime.distance(session.value.last_seen_at, now)
        if (Duration.isGreaterThan(unseen, sessionLimits(isOperator(person.value)).idle)) {
          yield* store.end(session.value.person_id, session.value.session_id)
          return Option.none()
        }
        if (Duration.isGreaterThan(unseen, touchedEach)) {
          yield* Effect.forkIn(Effect.ignoreCause(store.touch(session.value, now), { log: "Warn" }), scope)
        }
        const needsPasskey = yield* needs(person.value, session.value)
        return Option.some({ person: person.value, session: session.value, needsPasskey })
      }),
      sessionsOf: (personId) => Effect.flatMap(currentTime, (now) => store.of(personId, now)),
      end: Effect.fnUntraced(function* (personId, sessionId) {
        const ended = yield* store.end(personId, storableText(sessionId))
        return Option.isSome(ended) ? ended.value : yield* new SessionNotFound({ sessionId })
      }),
      endAll: store.endAll,
      isDemanded,
      ...(yield* makeNews(send)),
      dropExpired: (now, limit) =>
        Effect.zipWith(store.dropExpired(now, limit), challenges.dropExpired(now, limit), (some, more) => some + more)
    })
  })
).pipe(
  Layer.provide([PeopleStore.layer, PersonSessionStore.layer, PasskeyStore.layer]),
  Layer.provide(Challenges.layer)
)

/** Opens sessions, and knows which of them may do little. */
const makeOpening = Effect.gen(function* () {
  const people = yield* PeopleStore.PeopleStore
  const store = yield* PersonSessionStore.PersonSessionStore
  const passkeys = yield* PasskeyStore.PasskeyStore
  const secrets = yield* Secrets
  const { demandPasskeys } = (yield* Settings).of(signInSettings)

  const isDemanded = (personId: PersonId, ofInstallation: boolean) => {
    if (demandPasskeys.operators && ofInstallation) return Effect.succeed(true)
    return demandPasskeys.live ? people.isOfLive(personId) : Effect.succeed(false)
  }
  const needs = (person: PeopleStore.Person, { is_strong, way }: Omit<Opener, "passkeyId">) =>
    way === "passkey" || is_strong === true ? Effect.succeed(false) : isDemanded(person.person_id, isOperator(person))

  const open = Effect.fnUntraced(function* (person: PeopleStore.Person, opener: Opener, { ip, userAgent }: Browser) {
    const needsPasskey = yield* needs(person, opener)
    if (needsPasskey && (yield* passkeys.of(person.person_id)).length > 0) return yield* new PasskeyRequired({})
    const now = yield* currentTime
    const secret = yield* secrets.random(32)
    const session = yield* store.open({
      is_strong: false,
      ...opener,
      tokenHash: secrets.keyHash(secret),
      person_id: person.person_id,
      ip,
      user_agent: storableText(userAgent.slice(0, userAgentLengthMax)),
      now,
      expiresAt: DateTime.addDuration(now, sessionLimits(isOperator(person)).absolute)
    })
    return Option.map(session, (opened) => ({ person, session: opened, needsPasskey, secret }))
  })

  return { isDemanded, needs, open }
})

/** Mails that tell a person something. */
const makeNews = (send: (message: Message) => Effect.Effect<void>) =>
  Effect.map(Settings, (settings): Pick<SignIn["Service"], "tellPasskey" | "tellInvited"> => {
    const addressFor = makeAddressFor(settings)
    return {
      tellPasskey: ({ email: to, name }, change, { name: passkey, passkey_id }) =>
        send(
          passkeyMail({
            to,
            name,
            passkey,
            change,
            link: `${settings.publicUrl}/console/sign-in`,
            id: mailId(`${passkey_id} ${change}`)
          })
        ),
      tellInvited: (person, merchantName) => {
        const { email: to, name, person_id, roles } = person
        return send(
          invitationMail({
            to,
            name,
            merchantName,
            // Where the role that is told of counts.
            link: `${merchantName === undefined ? addressFor(person) : settings.publicUrl}/console/sign-in`,
            id: mailId(`${person_id} ${roles.length} ${merchantName ?? ""}`)
          })
        )
      }
    }
  })

/** Operators have their own port where ADMIN_PORT is set, and do nothing at the other one. */
const makeAddressFor =
  ({ adminUrl, publicUrl }: Pick<Settings["Service"], "adminUrl" | "publicUrl">) =>
  (person: PeopleStore.Person): string =>
    isOperator(person) ? (adminUrl ?? publicUrl) : publicUrl

/** Makes links, and sends them. */
const makeLinks = Effect.gen(function* () {
  const people = yield* PeopleStore.PeopleStore
  const store = yield* PersonSessionStore.PersonSessionStore
  const secrets = yield* Secrets
  const mailer = yield* Mailer
  const scope = yield* Effect.scope

  /** Sent aside: how long a mail takes must not tell whether anybody has the address. */
  const send = (message: Message) =>
    mailer.send(message).pipe(
      Effect.catchTags({
        MailNotTaken: ({ reason }) => Effect.logWarning(`a mail about signing in was not taken: ${reason}`),
        MailUncertain: ({ reason }) => Effect.logWarning(`a mail about signing in may not have been taken: ${reason}`)
      }),
      Effect.forkIn(scope),
      Effect.asVoid
    )

  const insertLink = Effect.fnUntraced(function* (personId: PersonId, browser: string | null, at: string) {
    const token = yield* secrets.random(32)
    const now = yield* currentTime
    const isWritten = yield* store.insertLink({
      tokenHash: secrets.keyHash(token),
      personId,
      browserHash: browser === null ? null : secrets.keyHash(browser),
      now,
      expiresAt: DateTime.addDuration(now, linkValidity)
    })
    return isWritten ? Option.some(`${at}/console/sign-in#${token}`) : Option.none()
  })

  const sendLink = Effect.fnUntraced(function* (email: string, browser: string, at: string) {
    const found = yield* people.byEmail(email)
    if (!hasRoles(found)) return
    const link = yield* insertLink(found.value.person_id, browser, at)
    if (Option.isNone(link)) return yield* Effect.logInfo("a person has asked for too many sign-in links in an hour")
    yield* send(signInMail({ to: email, link: link.value, id: mailId(link.value) }))
  })

  return { insertLink, send, sendLink }
})

/** A person whose roles are gone is as unknown as one who never had a role. */
const hasRoles = (found: Option.Option<PeopleStore.Person>): found is Option.Some<PeopleStore.Person> =>
  Option.isSome(found) && found.value.roles.length > 0

const isOperator = ({ roles }: PeopleStore.Person) => roles.some(({ belongs_to }) => belongs_to === installation)

/** It names the mail, and stands in its file's name where mails are files. */
const mailId = (of: string): string => `mail_${sha256(of).slice(0, 26)}`
