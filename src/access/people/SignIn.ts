/**
 * Front door to signing in: links by mail, and sessions (docs/security.md). A link works once, for 15 minutes, in the
 * browser that requested it: it is useless to other readers of the mail. Each request of a session reads its row, so an
 * ended session stops working on all runners at once.
 */
import { installation } from "@coffer/model/PersonRole"
import type { PersonId } from "@coffer/model/Ids"
import {
  linkValidity,
  normalEmail,
  personMailTriedFor,
  recoveriesADay,
  sessionLimits
} from "@coffer/rules/people/signIn"
import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { addressParty } from "../../shared/http/addressParty.ts"
import { MailBudget } from "../../shared/mail/MailBudget.ts"
import { type Letter, Outbox } from "../../shared/mail/Outbox.ts"
import { storableText } from "../../platform/postgres/storable.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import * as Challenges from "./Challenges.ts"
import * as InvitationStore from "./InvitationStore.ts"
import * as PasskeyStore from "./PasskeyStore.ts"
import * as PeopleStore from "./PeopleStore.ts"
import * as PersonSessionStore from "./PersonSessionStore.ts"
import { invitationMail, passkeyMail, recoveryMail, roleMail, signInMail } from "./signInMail.ts"
import { signInSettings } from "./signInSettings.ts"

export type { Session } from "./PersonSessionStore.ts"

/** The link was used, has expired, belongs to another browser, or never existed. */
export class LinkNotValid extends Schema.TaggedError<LinkNotValid>()("LinkNotValid", {}) {}

/** The person has no such session, or it has ended. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  sessionId: Schema.String
}) {}

/** The link or the provider's answer was valid, but the installation requires a passkey of this person, who has one. */
export class PasskeyRequired extends Schema.TaggedError<PasskeyRequired>()("PasskeyRequired", {}) {}

/** The browser in which a session is. */
export interface Browser {
  readonly ip: string
  readonly userAgent: string
  /** The secret in its cookie; undefined: it sends none. */
  readonly secret: string | undefined
}

/** A browser that requests a link gets a cookie. */
interface Asking extends Pick<Browser, "ip"> {
  readonly secret: string
}

export interface SignedIn {
  readonly person: PeopleStore.Person
  readonly session: PersonSessionStore.Session
  /** The installation requires a passkey, and the session was opened without one: it may only register one. */
  readonly needsPasskey: boolean
}

export interface Opened extends SignedIn {
  /** The secret for the cookie. */
  readonly secret: string
  /** The place of the person's only invitation, which signing in has accepted. */
  readonly accepted: string | undefined
}

/** The method that opens a session. */
interface Opener extends Pick<PersonSessionStore.NewSession, "way" | "passkeyId"> {
  readonly is_strong?: boolean
}

export class SignIn extends Context.Service<
  SignIn,
  {
    /**
     * Sends a link if a person or an invitation has this address, and answers at once in any case. `at`: the address of
     * the console that the browser uses. Returns when a link of now expires.
     */
    readonly ask: (email: string, browser: Asking, at: string) => Effect.Effect<DateTime.Utc>
    /** Opens a session by a link. */
    readonly use: (token: string, browser: Browser) => Effect.Effect<Opened, LinkNotValid | PasskeyRequired>
    /** Opens a session of a person who was authenticated otherwise. None: the person has no role. */
    readonly openBy: (
      personId: PersonId,
      opener: Opener,
      browser: Browser
    ) => Effect.Effect<Option.Option<Opened>, PasskeyRequired>
    /** Whether the installation requires a passkey of the person. */
    readonly isDemanded: (personId: PersonId, isOperator: boolean) => Effect.Effect<boolean>
    /** The address of a link that works in any browser, for the terminal in which the service is started. */
    readonly linkFor: (person: PeopleStore.Person) => Effect.Effect<string>
    /** The person of the session with this secret. */
    readonly bySecret: (secret: string) => Effect.Effect<Option.Option<SignedIn>>
    /** Newest first. */
    readonly sessionsOf: (personId: PersonId) => Effect.Effect<ReadonlyArray<PersonSessionStore.Session>>
    readonly end: (personId: PersonId, sessionId: string) => Effect.Effect<PersonSessionStore.Session, SessionNotFound>
    /** Ends every session of the person, and links that were not used. */
    readonly endAll: (personId: PersonId) => Effect.Effect<ReadonlyArray<PersonSessionStore.Session>>
    /** Sends a mail about an added or removed passkey. */
    readonly tellPasskey: (
      person: Pick<PeopleStore.Person, "person_id" | "email">,
      change: "added" | "removed",
      passkey: Pick<PasskeyStore.Passkey, "name">
    ) => Effect.Effect<void>
    /** Counts one mail for a reset of access. False: the day's limit is reached. */
    readonly mayRecover: (person: PeopleStore.Person) => Effect.Effect<boolean>
    /** Sends a link that works once in any browser. */
    readonly tellRecovered: (person: PeopleStore.Person) => Effect.Effect<unknown>
    /** Writes the mail about an invitation, in the transaction of the invitation. `wake` sends it after the commit. */
    readonly tellInvited: (invitation: InvitationStore.Invitation) => Effect.Effect<void>
    readonly wake: Effect.Effect<void>
    /** Sends a mail about a role that operators have changed. */
    readonly tellRole: (person: PeopleStore.Person, belongsTo: string, role: string) => Effect.Effect<void>
    /** Removes expired rows, at most `limit` of each kind, and answers how many. */
    readonly dropExpired: (now: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("@coffer/people/SignIn") {}

const userAgentLengthMax = 300
/** The interval of writing the time of the last request. */
const touchedEach = Duration.minutes(1)

export const layer = Layer.effect(
  SignIn,
  Effect.gen(function* () {
    const people = yield* PeopleStore.PeopleStore
    const invitations = yield* InvitationStore.InvitationStore
    const store = yield* PersonSessionStore.PersonSessionStore
    const secrets = yield* Secrets
    const challenges = yield* Challenges.Challenges
    const scope = yield* Effect.scope
    const { linkFor, mayRecover, sendLink, tellRecovered } = yield* makeLinks
    const { isDemanded, needs, open } = yield* makeOpening
    const { enter, known } = yield* makeEntering

    return SignIn.of({
      ask: span("SignIn.ask")(function* (email, browser, at) {
        yield* Effect.forkIn(
          Effect.ignoreCause(sendLink(storableText(normalEmail(email)), browser, at), { log: "Warn" }),
          scope
        )
        return DateTime.addDuration(yield* currentTime, linkValidity)
      }),
      use: span("SignIn.use")(function* (token, browser) {
        const now = yield* currentTime
        const personId = yield* store.useLink(secrets.keyHash(token), secrets.keyHash(browser.secret ?? ""), now)
        const entered = Option.isSome(personId) ? yield* enter(personId.value) : Option.none()
        if (Option.isNone(entered)) return yield* new LinkNotValid({})
        const opened = yield* open(entered.value, { way: "link", passkeyId: null }, browser)
        return Option.isSome(opened) ? opened.value : yield* new LinkNotValid({})
      }),
      openBy: span("SignIn.openBy")(function* (personId, opener, browser) {
        const entered = yield* enter(personId)
        return Option.isSome(entered) ? yield* open(entered.value, opener, browser) : Option.none()
      }),
      mayRecover,
      tellRecovered,
      linkFor,
      bySecret: Effect.fnUntraced(function* (secret) {
        const now = yield* currentTime
        const found = yield* store.byTokenHash(secrets.keyHash(secret), now)
        if (Option.isNone(found)) return Option.none()
        const session = found.value
        const person = yield* known(Option.map(yield* people.find(session.person_id), inSession(session)))
        if (Option.isNone(person)) return Option.none()
        const unseen = DateTime.distance(session.last_seen_at, now)
        const limits = sessionLimits(isOperator(person.value))
        // A session in which the person became an operator is an operator's.
        const isOver =
          Duration.isGreaterThan(unseen, limits.idle) ||
          Duration.isGreaterThanOrEqualTo(DateTime.distance(session.created_at, now), limits.absolute)
        if (isOver) {
          yield* store.end(session.person_id, session.session_id)
          return Option.none()
        }
        if (Duration.isGreaterThan(unseen, touchedEach)) {
          yield* Effect.forkIn(Effect.ignoreCause(store.touch(session, now), { log: "Warn" }), scope)
        }
        const needsPasskey = yield* needs(person.value, session)
        return Option.some({ person: person.value, session, needsPasskey })
      }),
      sessionsOf: (personId) => Effect.flatMap(currentTime, (now) => store.of(personId, now)),
      end: Effect.fnUntraced(function* (personId, sessionId) {
        const ended = yield* store.end(personId, storableText(sessionId))
        return Option.isSome(ended) ? ended.value : yield* new SessionNotFound({ sessionId })
      }),
      endAll: store.endAll,
      isDemanded,
      ...(yield* makeNews),
      dropExpired: Effect.fnUntraced(function* (now, limit) {
        const dropping = [store, challenges, invitations].map((each) => each.dropExpired(now, limit))
        return (yield* Effect.all(dropping)).reduce((all, some) => all + some, 0)
      })
    })
  })
).pipe(
  Layer.provide([PeopleStore.layer, InvitationStore.layer, PersonSessionStore.layer, PasskeyStore.layer]),
  Layer.provide(Challenges.layer)
)

/** The roles that count in this session. */
const inSession =
  ({ created_at }: Pick<PersonSessionStore.Session, "created_at">) =>
  (person: PeopleStore.Person): PeopleStore.Person => ({
    ...person,
    roles: person.roles.filter(
      ({ sessions_after }) => sessions_after === null || DateTime.isGreaterThan(created_at, sessions_after)
    )
  })

/** A person, and what signing in has accepted. */
interface Entered {
  readonly person: PeopleStore.Person
  readonly accepted: string | undefined
}

/** Checks who may have a session, and accepts invitations when one is opened. */
const makeEntering = Effect.gen(function* () {
  const people = yield* PeopleStore.PeopleStore
  const invitations = yield* InvitationStore.InvitationStore
  const invitedTo = (email: string) => Effect.flatMap(currentTime, (now) => invitations.to(email, now))

  /** None if the person has no role and no invitation. */
  const known = Effect.fnUntraced(function* (found: Option.Option<PeopleStore.Person>) {
    if (Option.isNone(found) || hasRole(found.value)) return found
    return (yield* invitedTo(found.value.email)).length > 0 ? found : Option.none()
  })

  return {
    known,
    /**
     * A person without a role signs in to accept an invitation. A single one is accepted by that; with several, or with
     * a role, the person chooses.
     */
    enter: Effect.fnUntraced(function* (personId: PersonId) {
      const found = yield* people.find(personId)
      if (Option.isNone(found)) return Option.none()
      const later = Option.some<Entered>({ person: found.value, accepted: undefined })
      if (hasRole(found.value)) return later
      const [only, ...more] = yield* invitedTo(found.value.email)
      if (only === undefined) return Option.none()
      if (more.length > 0) return later
      const taken = yield* Effect.option(invitations.accept(only.invitation_id, found.value, yield* currentTime))
      if (Option.isNone(taken)) return later
      const accepted = Option.getOrUndefined(taken.value)?.belongs_to
      const person = yield* people.find(personId)
      return Option.isSome(person) && hasRole(person.value)
        ? Option.some<Entered>({ person: person.value, accepted })
        : Option.none()
    })
  }
})

/** Opens sessions, and knows which of them are restricted. */
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

  const open = Effect.fnUntraced(function* (
    { accepted, person }: Entered,
    opener: Opener,
    { ip, secret: cookie, userAgent }: Browser
  ) {
    const needsPasskey = yield* needs(person, opener)
    if (needsPasskey && (yield* passkeys.of(person.person_id)).length > 0) return yield* new PasskeyRequired({})
    const now = yield* currentTime
    const secret = yield* secrets.random(32)
    const session = yield* store.open({
      is_strong: false,
      ...opener,
      tokenHash: secrets.keyHash(secret),
      browserHash: cookie === undefined ? null : secrets.keyHash(cookie),
      person_id: person.person_id,
      ip,
      user_agent: storableText(userAgent.slice(0, userAgentLengthMax)),
      now,
      expiresAt: DateTime.addDuration(now, sessionLimits(isOperator(person)).absolute)
    })
    return Option.map(session, (opened) => ({ person, session: opened, needsPasskey, secret, accepted }))
  })

  return { isDemanded, needs, open }
})

/** Mails that notify a person. */
const makeNews = Effect.gen(function* () {
  const { adminUrl, publicUrl } = yield* Settings
  const outbox = yield* Outbox
  // The place of the role.
  const pageOf = (belongsTo: string) =>
    `${belongsTo === installation ? (adminUrl ?? publicUrl) : publicUrl}/console/sign-in`
  const placeOf = (belongsTo: string) => (belongsTo === installation ? undefined : belongsTo)
  const until = Effect.map(currentTime, (now) => DateTime.addDuration(now, personMailTriedFor))
  const send = (letter: Letter, about: string) =>
    Effect.andThen(
      Effect.flatMap(until, (time) => outbox.add(letter, { about, until: time })),
      outbox.wake
    )

  return {
    tellPasskey: ({ email: to, person_id }, change, { name: passkey }) =>
      send(passkeyMail({ to, passkey, change, link: `${publicUrl}/console/sign-in` }), person_id),
    tellInvited: ({ belongs_to, email: to, invitation_id: about, invited_by: invitedBy, role }) =>
      Effect.flatMap(until, (time) =>
        outbox.add(invitationMail({ to, invitedBy, merchantId: placeOf(belongs_to), role, link: pageOf(belongs_to) }), {
          about,
          until: time
        })
      ),
    wake: outbox.wake,
    tellRole: ({ email: to, person_id }, belongsTo, role) =>
      send(roleMail({ to, merchantId: placeOf(belongsTo), role, link: pageOf(belongsTo) }), person_id)
  } satisfies Partial<SignIn["Service"]>
})

/** With ADMIN_PORT operators have their own port, and no access at the other one. */
const makeAddressFor =
  ({ adminUrl, publicUrl }: Pick<Settings["Service"], "adminUrl" | "publicUrl">) =>
  (person: PeopleStore.Person): string =>
    isOperator(person) ? (adminUrl ?? publicUrl) : publicUrl

/** Makes links, and sends them. */
const makeLinks = Effect.gen(function* () {
  const people = yield* PeopleStore.PeopleStore
  const invitations = yield* InvitationStore.InvitationStore
  const store = yield* PersonSessionStore.PersonSessionStore
  const secrets = yield* Secrets
  const outbox = yield* Outbox
  const budget = yield* MailBudget
  const addressFor = makeAddressFor(yield* Settings)
  const { known } = yield* makeEntering

  /** `asked`: by which browser; null: any browser may use it. The mail is written with the link. */
  const makeLink = Effect.fnUntraced(function* (
    personId: PersonId,
    asked: Asking | null,
    at: string,
    letterOf?: (link: string, isShared: boolean) => Letter
  ) {
    const token = yield* secrets.random(32)
    const link = `${at}/console/sign-in#${token}`
    const now = yield* currentTime
    const expiresAt = DateTime.addDuration(now, linkValidity)
    const kind = yield* store.insertLink(
      {
        at,
        tokenHash: secrets.keyHash(token),
        personId,
        browserHash: asked === null ? null : secrets.keyHash(asked.secret),
        askerHash: asked === null ? null : secrets.keyHash(`asks ${addressParty(asked.ip)}`),
        now,
        expiresAt
      },
      (written) =>
        letterOf === undefined
          ? Effect.void
          : outbox.add(letterOf(link, written === "shared"), { about: personId, until: expiresAt })
    )
    if (kind === "own" || kind === "shared") yield* outbox.wake
    return { kind, link }
  })

  return {
    linkFor: (person: PeopleStore.Person) =>
      Effect.map(makeLink(person.person_id, null, addressFor(person)), ({ link }) => link),
    mayRecover: ({ person_id }: PeopleStore.Person) =>
      budget.take([{ counted: `recoveries of ${person_id}`, max: recoveriesADay }]),
    tellRecovered: (person: PeopleStore.Person) =>
      makeLink(person.person_id, null, addressFor(person), (link) => recoveryMail({ to: person.email, link })),
    sendLink: Effect.fnUntraced(function* (email: string, asked: Asking, at: string) {
      if (Option.isNone(yield* people.byEmail(email))) yield* invitations.enter(email, yield* currentTime)
      const found = yield* known(yield* people.byEmail(email))
      if (Option.isNone(found)) return
      const { person_id } = found.value
      const letterOf = (link: string, isShared: boolean) => signInMail({ to: email, link, isShared })
      const { kind } = yield* makeLink(person_id, asked, at, letterOf)
      if (kind === "own" || kind === "gone") return
      yield* Effect.annotateLogs(Effect.logInfo("requests for a link share a mail"), { person: person_id })
    })
  }
})

/** A person without roles is treated as unknown. */
const hasRole = ({ roles }: PeopleStore.Person): boolean => roles.length > 0
const isOperator = ({ roles }: PeopleStore.Person) => roles.some(({ belongs_to }) => belongs_to === installation)
