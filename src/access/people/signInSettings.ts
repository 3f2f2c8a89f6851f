/** Settings of signing in to the console: who needs a passkey, where passkeys work, the OpenID provider. */
import { isIP } from "node:net"
import { type MappedRole, readMappedRoles } from "@coffer/rules/people/openId"
import { Config, Effect, Option, type Redacted } from "effect"
import { BadSetting, isLoopback } from "../../platform/runtime/places.ts"
import { roomSettings } from "../../platform/runtime/roomSettings.ts"

/** The people who have to sign in with a passkey. */
export interface PasskeyDemands {
  readonly operators: boolean
  /** People of merchants that are approved for live. */
  readonly live: boolean
}

export interface OpenIdSettings {
  readonly issuer: URL
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  /** The scopes for the provider, separated by spaces. */
  readonly scopes: string
  /** The claim that names roles; undefined: roles are only given here. */
  readonly roleClaim: string | undefined
  readonly roles: ReadonlyArray<MappedRole>
  /** Values of the claims `amr` and `acr` that count as a passkey. */
  readonly strong: ReadonlyArray<string>
}

export interface SignInSettings {
  /** The people who may only register a passkey in a session that was opened by mail. */
  readonly demandPasskeys: PasskeyDemands
  /** The OpenID Connect provider; undefined: none. */
  readonly openId: OpenIdSettings | undefined
}

const variables = Config.all({
  demandPasskeys: Config.String("DEMAND_PASSKEYS").pipe(Config.withDefault("")),
  openIdIssuer: Config.option(Config.URL("OPENID_ISSUER")),
  openIdClient: Config.option(Config.NonEmptyString("OPENID_CLIENT_ID")),
  openIdSecret: Config.option(Config.Redacted("OPENID_CLIENT_SECRET")),
  openIdScopes: Config.NonEmptyString("OPENID_SCOPES").pipe(Config.withDefault("openid email profile")),
  openIdClaim: Config.NonEmptyString("OPENID_ROLE_CLAIM").pipe(Config.withDefault("groups")),
  openIdRoles: Config.String("OPENID_ROLES").pipe(Config.withDefault("")),
  openIdStrong: Config.String("OPENID_AS_PASSKEY").pipe(Config.withDefault(""))
})

type Read = Config.Success<typeof variables>

/** Undefined without a provider. */
const readOpenId = Effect.fnUntraced(function* (read: Read) {
  const { openIdClient, openIdIssuer, openIdRoles, openIdSecret } = read
  const roles = readMappedRoles(openIdRoles)
  if (roles === undefined) {
    return yield* new BadSetting({
      message:
        "OPENID_ROLES must be a comma-separated list: admins=admin for an operator role, shop=owner@mer_... for " +
        "one of " +
        "a merchant."
    })
  }
  if (Option.isNone(openIdIssuer) && Option.isNone(openIdClient) && Option.isNone(openIdSecret)) return undefined
  if (Option.isNone(openIdIssuer) || Option.isNone(openIdClient) || Option.isNone(openIdSecret)) {
    return yield* new BadSetting({
      message: "OPENID_ISSUER, OPENID_CLIENT_ID and OPENID_CLIENT_SECRET must be set together: all three or none."
    })
  }
  const { hash, hostname, password, protocol, search, username } = openIdIssuer.value
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopback(hostname))
  if (!isSafe || `${username}${password}${search}${hash}` !== "") {
    return yield* new BadSetting({
      message: "OPENID_ISSUER must look like https://id.example/path, without a user, a query or a fragment."
    })
  }
  const scopes = read.openIdScopes.split(/[\s,]+/).filter((scope) => scope !== "")
  // RFC 6749, section 3.3.
  if (!scopes.includes("openid") || !scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
    return yield* new BadSetting({
      message:
        "OPENID_SCOPES must be a space-separated list that includes openid, such as: openid email profile groups."
    })
  }
  const roleClaim = roles.length === 0 ? undefined : read.openIdClaim
  return {
    issuer: openIdIssuer.value,
    clientId: openIdClient.value,
    clientSecret: openIdSecret.value,
    scopes: scopes.join(" "),
    roleClaim,
    roles,
    strong: wordsOf(read.openIdStrong)
  } satisfies OpenIdSettings
})

export interface PasskeyPlace {
  readonly origin: string
  /** WebAuthn's RP id. */
  readonly host: string
}

/** Undefined if browsers allow no passkeys: they require a host name, and https except on this machine. */
export const passkeyPlace = (publicUrl: string): PasskeyPlace | undefined => {
  const { hostname, origin, protocol } = new URL(publicUrl)
  const isName = isIP(hostname.replace(/^\[(.*)\]$/, "$1")) === 0
  const isSecure = protocol === "https:" || /^([\w-]+\.)*localhost$/.test(hostname)
  return isName && isSecure ? { origin, host: hostname } : undefined
}

/**
 * The origin of a console at which passkeys of the public host work: at that host, or at one below it. Undefined for
 * another, such as that of an operators' port that has a name of its own.
 */
export const passkeyOrigin = (publicUrl: string, at: string): string | undefined => {
  const place = passkeyPlace(publicUrl)
  const other = passkeyPlace(at)
  if (place === undefined || other === undefined) return undefined
  return other.host === place.host || other.host.endsWith(`.${place.host}`) ? other.origin : undefined
}

const readDemands = Effect.fnUntraced(function* (text: string, publicUrl: string) {
  const words = wordsOf(text)
  if (words.some((word) => word !== "operators" && word !== "live") || new Set(words).size < words.length) {
    return yield* new BadSetting({ message: "DEMAND_PASSKEYS must be a comma-separated list of operators and live." })
  }
  if (words.length > 0 && passkeyPlace(publicUrl) === undefined) {
    return yield* new BadSetting({
      message:
        "DEMAND_PASSKEYS needs a PUBLIC_URL that supports passkeys: https, with a host name rather than an IP address."
    })
  }
  return { operators: words.includes("operators"), live: words.includes("live") } satisfies PasskeyDemands
})

const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")

export const signInSettings = roomSettings<SignInSettings>({
  secrets: ["OPENID_CLIENT_SECRET"],
  read: Effect.fnUntraced(function* (publicUrl: string) {
    const read = yield* variables
    return {
      demandPasskeys: yield* readDemands(read.demandPasskeys, publicUrl),
      openId: yield* readOpenId(read)
    }
  })
})
