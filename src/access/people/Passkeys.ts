/**
 * Front door to passkeys, and the only file that imports `@simplewebauthn/server`, which verifies browsers' answers.
 * User verification is required. A challenge is for one browser or session, works once, and ends after five minutes
 * (docs/decisions/0092).
 */
import type { Assertion, Attestation } from "@coffer/contract/Passkeys"
import { PersonId } from "@coffer/model/Ids"
import { challengeValidity } from "@coffer/rules/people/signIn"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { currentTime } from "../../platform/runtime/clock.ts"
import { parseJson } from "../../platform/runtime/codecs.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { passkeyOrigin, type PasskeyPlace, passkeyPlace } from "./signInSettings.ts"
import { span } from "../../platform/runtime/span.ts"
import { Challenges } from "./Challenges.ts"
import * as PasskeyStore from "./PasskeyStore.ts"
import type { Person } from "./PeopleStore.ts"

export type { Passkey } from "./PasskeyStore.ts"
type Passkey = PasskeyStore.Passkey

/** The browser's answer does not match the challenge. `passkey`: the claimed passkey. */
export class PasskeyNotValid extends Schema.TaggedError<PasskeyNotValid>()("PasskeyNotValid", {
  passkey: Schema.optionalKey(Schema.Struct({ passkey_id: Schema.String, person_id: PersonId })),
  why: Schema.String
}) {}

export class PasskeyNotFound extends Schema.TaggedError<PasskeyNotFound>()("PasskeyNotFound", {
  passkeyId: Schema.String
}) {}

export class PasskeyConflict extends Schema.TaggedError<PasskeyConflict>()("PasskeyConflict", {
  reason: Schema.Literals(["too_many", "known", "not_first", "last", "not_here"])
}) {}

type Options = Readonly<Record<string, unknown>>

/** The person who registers a passkey. */
type Owner = Pick<Person, "person_id" | "email" | "name">

/** A new passkey, and the session in which it is registered. */
interface Registered {
  readonly person: Owner
  readonly sessionId: string
  readonly name: string
  readonly credential: Attestation
  /** True: refused if the person has a passkey already. */
  readonly isFirst: boolean
}

export class Passkeys extends Context.Service<
  Passkeys,
  {
    /**
     * The options for a browser that wants to sign in, without a person. `browser`: the secret of its cookie; `at`: the
     * address of the console that it uses.
     */
    readonly askToSignIn: (browser: string, at: string) => Effect.Effect<Options, PasskeyConflict>
    /** The passkey of the answer. The challenge is used up. */
    readonly signIn: (credential: Assertion, browser: string) => Effect.Effect<Passkey, PasskeyNotValid>
    readonly askToRegister: (person: Owner, sessionId: string, at: string) => Effect.Effect<Options, PasskeyConflict>
    readonly register: (registered: Registered) => Effect.Effect<Passkey, PasskeyNotValid | PasskeyConflict>
    /** Newest first. */
    readonly of: (personId: PersonId) => Effect.Effect<ReadonlyArray<Passkey>>
    readonly rename: (personId: PersonId, passkeyId: string, name: string) => Effect.Effect<Passkey, PasskeyNotFound>
    readonly remove: (
      personId: PersonId,
      passkeyId: string,
      options: { readonly sparesLast: boolean; readonly keepsSession: string }
    ) => Effect.Effect<Passkey, PasskeyNotFound | PasskeyConflict>
  }
>()("@coffer/people/Passkeys") {}

export const layer = Layer.effect(
  Passkeys,
  Effect.gen(function* () {
    const store = yield* PasskeyStore.PasskeyStore
    const challenges = yield* Challenges
    const { here, origins, place } = placesOf(yield* Settings)
    const judge = yield* makeJudge(place, origins)

    /** The challenge of the answer. */
    const challengeOf = Effect.fnUntraced(function* ({ response }: Assertion | Attestation, use: string) {
      const clientData = clientDataOf(response.clientDataJSON)
      const text = Option.map(clientData, ({ challenge }) => Buffer.from(challenge, "base64url").toString())
      const found = Option.isSome(text) ? yield* challenges.read(text.value, use) : Option.none()
      return Option.isSome(clientData) && Option.isSome(found)
        ? { challengeText: clientData.value.challenge, challenge: found.value }
        : yield* new PasskeyNotValid({ why: "the challenge belongs to another browser, or has expired" })
    })

    return Passkeys.of({
      askToSignIn: span("Passkeys.askToSignIn")(function* (browser, at) {
        const { host: rpID } = yield* here(at)
        const challenge = yield* challenges.issue(`sign in ${browser}`, challengeValidity)
        return yield* judge.options(rpID, challenge)
      }),

      signIn: span("Passkeys.signIn")(function* (credential, browser) {
        const { challenge, challengeText } = yield* challengeOf(credential, `sign in ${browser}`)
        const passkey = Option.getOrUndefined(yield* store.byCredential(credential.id))
        if (passkey === undefined) return yield* new PasskeyNotValid({ why: "no person has this passkey" })
        const { passkey_id, person_id } = passkey
        const notValid = (why: string) => new PasskeyNotValid({ why, passkey: { passkey_id, person_id } })
        const { userHandle = null, ...response } = credential.response
        if (userHandle !== null && Buffer.from(userHandle, "base64url").toString() !== person_id) {
          return yield* notValid("it belongs to another person")
        }
        const info = yield* Effect.mapError(judge.assertion(credential.id, response, challengeText, passkey), notValid)
        const used = yield* store.use(passkey, info.newCounter, challenge, yield* currentTime)
        return Option.isSome(used) ? used.value : yield* notValid("it was used before")
      }),

      askToRegister: span("Passkeys.askToRegister")(function* ({ email, name, person_id }, sessionId, at) {
        const { host: rpID } = yield* here(at)
        const known = yield* store.of(person_id)
        const challenge = yield* challenges.issue(`register ${sessionId}`, challengeValidity)
        return yield* judge.newOptions(rpID, { person_id, email, name }, challenge, known)
      }),

      register: span("Passkeys.register")(function* ({ credential, isFirst, name, person, sessionId }) {
        const { challenge, challengeText } = yield* challengeOf(credential, `register ${sessionId}`)
        const { transports, ...response } = credential.response
        const info = yield* Effect.mapError(
          judge.attestation(credential.id, response, challengeText),
          (why) => new PasskeyNotValid({ why })
        )
        const outcome = yield* store.insert(
          {
            person_id: person.person_id,
            credential_id: info.credential.id,
            public_key: Buffer.from(info.credential.publicKey).toString("base64url"),
            counter: info.credential.counter,
            transports: (transports ?? []).filter((each) => transportPattern.test(each)).join(),
            is_synced: info.credentialBackedUp,
            name,
            sessionId,
            isFirst,
            now: yield* currentTime
          },
          challenge
        )
        if (outcome === "used") return yield* new PasskeyNotValid({ why: "the challenge was used" })
        if (outcome === "ended") return yield* new PasskeyNotValid({ why: "the session has ended" })
        return typeof outcome === "string" ? yield* new PasskeyConflict({ reason: outcome }) : outcome
      }),

      of: store.of,
      rename: Effect.fnUntraced(function* (personId, passkeyId, name) {
        const renamed = yield* store.rename(personId, passkeyId, name)
        return Option.isSome(renamed) ? renamed.value : yield* new PasskeyNotFound({ passkeyId })
      }),
      remove: span("Passkeys.remove")(function* (personId, passkeyId, options) {
        const removed = Option.getOrUndefined(yield* store.remove(personId, passkeyId, options))
        if (removed === undefined) return yield* new PasskeyNotFound({ passkeyId })
        return removed === "last" ? yield* new PasskeyConflict({ reason: removed }) : removed
      })
    })
  })
).pipe(Layer.provide(PasskeyStore.layer))

// The library's work ----------------------------------------------------------

/** Milliseconds that the browser waits for the person. */
const timeout = 120_000

/** EdDSA, ES256 and RS256. Asking for all supported ones would print a warning of an experiment of Node. */
const supportedAlgorithmIDs = [-8, -7, -257]

/** The RP id, and the origins of the console there. */
const placesOf = ({ adminUrl, publicUrl }: Pick<Settings["Service"], "adminUrl" | "publicUrl">) => {
  const place = passkeyPlace(publicUrl)
  const origins = [publicUrl, ...(adminUrl === undefined ? [] : [adminUrl])].flatMap((at) => {
    const origin = passkeyOrigin(publicUrl, at)
    return origin === undefined ? [] : [origin]
  })
  const here = (at: string) =>
    place === undefined || passkeyOrigin(publicUrl, at) === undefined
      ? new PasskeyConflict({ reason: "not_here" })
      : Effect.succeed(place)
  return { here, origins, place }
}

/** Each fails with the reason why the answer is invalid. */
const makeJudge = Effect.fnUntraced(function* (place: PasskeyPlace | undefined, origins: ReadonlyArray<string>) {
  // Loaded on demand, since its modules would add a tenth to a start.
  const library = yield* Effect.cached(Effect.promise(() => import("@simplewebauthn/server")))
  const expected = { expectedOrigin: [...origins], expectedRPID: place?.host ?? "" }
  const judged = <A>(judging: (api: Effect.Success<typeof library>) => Promise<A>) =>
    Effect.flatMap(library, (api) => Effect.tryPromise({ try: () => judging(api), catch: String }))
  const made = (making: (api: Effect.Success<typeof library>) => Promise<object>) =>
    Effect.flatMap(library, (api) =>
      Effect.map(
        Effect.promise(() => making(api)),
        (options): Options => ({ ...options })
      )
    )

  return {
    options: (rpID: string, challenge: string) =>
      made((api) => api.generateAuthenticationOptions({ rpID, challenge, userVerification: "required", timeout })),

    newOptions: (rpID: string, { email, name, person_id }: Owner, challenge: string, known: ReadonlyArray<Passkey>) =>
      made((api) =>
        api.generateRegistrationOptions({
          rpName: "Coffer",
          rpID,
          challenge,
          supportedAlgorithmIDs,
          userID: new Uint8Array(Buffer.from(person_id)),
          userName: email,
          userDisplayName: name,
          attestationType: "none",
          excludeCredentials: known.map(({ credential_id: id, transports }) => ({
            id,
            transports: transports.split(",").filter((each) => each !== "")
          })),
          // A discoverable credential, so that no address has to be typed.
          authenticatorSelection: { residentKey: "required", userVerification: "required" },
          timeout
        })
      ),

    assertion: (
      id: string,
      response: Omit<Assertion["response"], "userHandle">,
      challengeText: string,
      passkey: Passkey
    ) =>
      Effect.flatMap(
        judged((api) =>
          api.verifyAuthenticationResponse({
            ...expected,
            response: { ...ofBrowser(id), response },
            expectedChallenge: challengeText,
            credential: {
              id: passkey.credential_id,
              publicKey: new Uint8Array(Buffer.from(passkey.public_key, "base64url")),
              counter: passkey.counter
            },
            requireUserVerification: true
          })
        ),
        ({ authenticationInfo, verified }) =>
          verified ? Effect.succeed(authenticationInfo) : Effect.fail("the signature does not match")
      ),

    attestation: (id: string, response: Omit<Attestation["response"], "transports">, challengeText: string) =>
      Effect.flatMap(
        judged((api) =>
          hasNoCertificates(response.attestationObject).then((isPlain) =>
            isPlain
              ? api.verifyRegistrationResponse({
                  ...expected,
                  response: { ...ofBrowser(id), response },
                  expectedChallenge: challengeText,
                  supportedAlgorithmIDs,
                  requireUserVerification: true
                })
              : Promise.reject(new Error("the attestation has certificates, which were not requested"))
          )
        ),
        ({ registrationInfo }) =>
          registrationInfo === undefined ? Effect.fail("the attestation is invalid") : Effect.succeed(registrationInfo)
      )
  }
})

const transportPattern = /^[a-z-]+$/

const decodeClientData = Schema.decodeUnknownOption(Schema.Struct({ challenge: Schema.String }))
const clientDataOf = (text: string) =>
  Option.flatMap(parseJson(Buffer.from(text, "base64url").toString()), decodeClientData)

/** With certificates the library would call the addresses of their revocation lists. */
const hasNoCertificates = (attestationObject: string): Promise<boolean> =>
  import("@simplewebauthn/server/helpers").then(({ decodeAttestationObject }) => {
    const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, "base64url")))
    const isOwn = decoded.get("fmt") === "packed" && decoded.get("attStmt").get("x5c") === undefined
    return decoded.get("fmt") === "none" || isOwn
  })

/** Fields that the library requires but ignores. */
const ofBrowser = (id: string) => ({ id, rawId: id, type: "public-key", clientExtensionResults: {} }) as const
