/**
 * OpenID Connect, and the only file that imports `openid-client`: the code flow with PKCE, state and nonce. Verifier
 * and nonce are encrypted in the state, which is bound to the requesting browser, works once, and expires after ten
 * minutes. The only return address is the sign-in page, so there is no open redirect.
 */
import { claimedValues, isSaid } from "@coffer/rules/people/openId"
import { openIdValidity } from "@coffer/rules/people/signIn"
import { Context, Effect, Exit, Layer, Option, Redacted, Schema } from "effect"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { type OpenIdSettings, signInSettings } from "./signInSettings.ts"
import { span } from "../../platform/runtime/span.ts"
import { boundedFetch } from "../../shared/http/boundedFetch.ts"
import { Challenges } from "./Challenges.ts"

/** The sign-in failed. The reason is for the log, and not for the browser. */
export class OpenIdFailed extends Schema.TaggedError<OpenIdFailed>()("OpenIdFailed", {
  /** `not_here`: not set up. `unreachable`: the provider does not answer. */
  reason: Schema.Literals(["not_here", "unreachable", "refused"]),
  why: Schema.String
}) {}

/** A person, as the provider describes them. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** None unless the provider has verified it. */
  readonly email: Option.Option<string>
  readonly name: string | undefined
  /** The values of the claim that names roles; undefined: the claim is missing. */
  readonly values: ReadonlyArray<string> | undefined
  /** Whether the provider's authentication counts as a passkey by the settings. */
  readonly isStrong: boolean
}

/** The parameters with which the provider sends the browser back. */
export interface CameBack {
  readonly code: string
  readonly state: string
  readonly iss?: string | undefined
}

export class OpenId extends Context.Service<
  OpenId,
  {
    /** The provider's address for this browser. `browser`: the secret of its cookie. */
    readonly begin: (browser: string, at: string) => Effect.Effect<string, OpenIdFailed>
    readonly finish: (cameBack: CameBack, browser: string, at: string) => Effect.Effect<Identity, OpenIdFailed>
  }
>()("@coffer/people/OpenId") {}

/** Seconds for one answer of the provider. */
const patience = 5
/** How long the provider's metadata is cached. */
const describedFor = "1 hour"

export const layer = Layer.effect(
  OpenId,
  Effect.gen(function* () {
    const settings = yield* Settings
    const { noOutbound } = settings
    const { openId } = settings.of(signInSettings)
    const secrets = yield* Secrets
    const challenges = yield* Challenges
    /** It has to be registered at the provider for each address of the console. */
    const redirectTo = (at: string) => `${at}/console/sign-in`
    const provider = openId === undefined || noOutbound ? undefined : yield* makeProvider(openId)
    const here =
      provider === undefined
        ? new OpenIdFailed({ reason: "not_here", why: "OPENID_ISSUER is not set" })
        : Effect.succeed(provider)

    return OpenId.of({
      begin: span("OpenId.begin")(function* (browser, at) {
        const { configuration, library, scopes } = yield* here
        const api = yield* library
        const config = yield* configuration
        const [verifier, nonce] = [yield* secrets.random(32), yield* secrets.random(16)]
        const state = yield* challenges.issue(`openid ${browser}`, openIdValidity, { verifier, nonce })
        const code_challenge = yield* Effect.promise(() => api.calculatePKCECodeChallenge(verifier))
        return api.buildAuthorizationUrl(config, {
          redirect_uri: redirectTo(at),
          scope: scopes,
          code_challenge,
          code_challenge_method: "S256",
          state,
          nonce
        }).href
      }),

      finish: span("OpenId.finish")(function* ({ code, iss, state }, browser, at) {
        const { call, configuration, roleClaim, strong } = yield* here
        const challenge = yield* challenges.read(state, `openid ${browser}`)
        // A code can be tried once: the provider may have seen it by then.
        if (Option.isNone(challenge) || !(yield* challenges.useUp(challenge.value))) {
          return yield* new OpenIdFailed({
            reason: "refused",
            why: "the state belongs to another browser, or was used"
          })
        }
        const { nonce = "", verifier = "" } = challenge.value.content
        const config = yield* configuration
        const url = new URL(redirectTo(at))
        for (const [name, value] of Object.entries({ code, state, iss })) {
          if (value !== undefined) url.searchParams.set(name, value)
        }
        const tokens = yield* call((api) =>
          api.authorizationCodeGrant(config, url, {
            pkceCodeVerifier: verifier,
            expectedState: state,
            expectedNonce: nonce,
            idTokenExpected: true
          })
        )
        const ofToken = tokens.claims()
        if (ofToken === undefined) return yield* new OpenIdFailed({ reason: "refused", why: "no ID token came" })
        // Many providers only have these at the userinfo endpoint.
        const isWhole =
          ofToken["email"] !== undefined &&
          ofToken["email_verified"] !== undefined &&
          (roleClaim === undefined || isSaid(ofToken, roleClaim))
        const more =
          isWhole || config.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : yield* call((api) => api.fetchUserInfo(config, tokens.access_token, ofToken.sub))
        // The authentication method belongs to this sign-in: only the ID token has it.
        const ways = ["amr", "acr"].flatMap((claim) => claimedValues(ofToken, claim))
        return {
          ...identityOf(ofToken, more, roleClaim),
          isStrong: ways.some((way) => strong.includes(way))
        }
      })
    })
  })
)

type TokenClaims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string }

type Claims = Readonly<Record<string, unknown>>

/** The first source with an address decides: the ID token before the userinfo endpoint. */
const verifiedEmail = (sources: ReadonlyArray<Claims>): Option.Option<string> => {
  const email = sources.map((each) => each["email"]).find((each) => typeof each === "string")
  // A verification of another address does not count for this one.
  const about = sources.filter((each) => each["email"] === undefined || each["email"] === email)
  const word = about.map((each) => each["email_verified"]).find((each) => each !== undefined)
  // Some providers send it as a string.
  return email !== undefined && (word === true || word === "true") ? Option.some(email) : Option.none()
}

const identityOf = (ofToken: TokenClaims, more: Claims, roleClaim: string | undefined): Omit<Identity, "isStrong"> => {
  const claims = { ...more, ...ofToken }
  const { iss, name, sub } = claims
  return {
    issuer: iss,
    subject: sub,
    email: verifiedEmail([ofToken, more]),
    name: typeof name === "string" ? name : undefined,
    values: roleClaim !== undefined && isSaid(claims, roleClaim) ? claimedValues(claims, roleClaim) : undefined
  }
}

/** The provider's metadata, fetched on first use. */
const makeProvider = Effect.fnUntraced(function* (settings: OpenIdSettings) {
  const { clientId, clientSecret, issuer, roleClaim, scopes, strong } = settings
  const library = yield* Effect.cached(Effect.promise(() => import("openid-client")))
  type Library = Effect.Success<typeof library>
  const calling = <A>(reason: OpenIdFailed["reason"], asking: (api: Library) => Promise<A>) =>
    Effect.flatMap(library, (api) =>
      Effect.tryPromise({ try: () => asking(api), catch: (error) => new OpenIdFailed({ reason, why: whyOf(error) }) })
    )

  const described = calling("unreachable", (api) => {
    const secret = Redacted.value(clientSecret)
    const [basic, post] = [api.ClientSecretBasic(secret), api.ClientSecretPost(secret)]
    return api.discovery(
      issuer,
      clientId,
      undefined,
      (server, ...more) =>
        (server.token_endpoint_auth_methods_supported?.includes("client_secret_basic") === false ? post : basic)(
          server,
          ...more
        ),
      {
        timeout: patience,
        [api.customFetch]: boundedFetch,
        // The ID token's signature is checked, although it comes from the provider's own address. The settings take
        // http on this machine alone.
        execute: [api.enableNonRepudiationChecks, ...(issuer.protocol === "http:" ? [api.allowInsecureRequests] : [])]
      }
    )
  })
  return {
    library,
    roleClaim,
    scopes,
    strong,
    /** A failed fetch is retried. */
    configuration: yield* Effect.cachedWithTTL(described, (exit) => (Exit.isSuccess(exit) ? describedFor : 0)),
    call: <A>(asking: (api: Library) => Promise<A>) => calling("refused", asking)
  }
})

/** Why the provider of these settings cannot be used; undefined if it can. For the doctor. */
export const reachProvider = (settings: OpenIdSettings): Effect.Effect<string | undefined> =>
  Effect.flatMap(makeProvider(settings), ({ configuration }) => configuration).pipe(
    Effect.match({ onFailure: ({ why }) => why, onSuccess: () => undefined })
  )

/** Messages of the library name the problem, and no secret. Their cause is more precise. */
const whyOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
