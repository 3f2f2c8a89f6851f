/** A small OpenID provider on a real socket: `oidc-provider`, with accounts that a test changes. */
import { generateKeyPairSync } from "node:crypto"
import type { Server } from "node:http"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type JWK, Provider } from "oidc-provider"
import { freePort } from "../Service.ts"

/** An account at the provider, by its claims. */
export type Claims = Readonly<Record<string, unknown>>

const clientId = "coffer"
const clientSecret = "a-secret-of-the-client-that-is-long-enough"

/** `redirectUri`: where it sends browsers back to. */
export const openIdProvider = Effect.fnUntraced(function* (redirectUri: string) {
  const port = yield* freePort
  const issuer = `http://127.0.0.1:${port}`
  const accounts = new Map<string, Claims>()
  const newKey = () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" })
  const key = { ...newKey(), kid: "one" } as unknown as JWK
  let shownKey: JWK | undefined
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code"],
        response_types: ["code"]
      }
    ],
    acrValues: ["phr", "phrase", "urn:password"],
    claims: { openid: ["sub", "amr", "acr"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts.get(id) }) }),
    // The client has the claims without a question to the person.
    loadExistingGrant: async ({ oidc }) => {
      // How it knew the person: it takes that from the session, which its own pages open without a word about it.
      const { acr, amr } = accounts.get(oidc.session!.accountId!) ?? {}
      if (amr !== undefined) oidc.session!.amr = amr as Array<string>
      if (acr !== undefined) oidc.session!.acr = acr as string
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session!.accountId! })
      grant.addOIDCScope("openid email profile")
      await grant.save()
      return grant
    },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    cookies: { keys: ["a key of the tests"] },
    jwks: { keys: [key] }
  })
  // What it shows is not the key that it signs with.
  provider.use(async (context, next) => {
    await next()
    if (shownKey === undefined || context.path !== "/jwks") return
    const { e, kty, n } = shownKey as unknown as Record<string, string>
    context.body = { keys: [{ e, kty, n, kid: "one", use: "sig", alg: "RS256" }] }
  })
  yield* Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = provider.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
  const env = { OPENID_ISSUER: issuer, OPENID_CLIENT_ID: clientId, OPENID_CLIENT_SECRET: clientSecret }
  /** From now on its ID tokens have a signature that its keys do not fit. */
  const forge = () => void (shownKey = newKey() as unknown as JWK)
  return { issuer, env, accounts, forge }
})

/** As a browser goes through the provider with this account. Returns what it is sent back with. */
export const throughProvider = (address: string, account: string) =>
  Effect.promise(async () => {
    const cookies = new Map<string, string>()
    const go = async (url: string, form?: Record<string, string>): Promise<URL> => {
      const response = await fetch(url, {
        redirect: "manual",
        headers: { Cookie: Array.from(cookies, (pair) => pair.join("=")).join("; ") },
        ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) })
      })
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        cookies.set(name, value)
      }
      const text = await response.text()
      const location = response.headers.get("location")
      if (location !== null) {
        const next = new URL(location, url)
        return next.origin === new URL(address).origin ? go(next.href) : next
      }
      const [, action] = /<form[^>]* action="([^"]+)"/.exec(text) ?? []
      assert.isDefined(action, text)
      return go(new URL(action!, url).href, { prompt: "login", login: account, password: "any" })
    }
    const { searchParams } = await go(address)
    return Object.fromEntries(searchParams) as { readonly code: string; readonly state: string; readonly iss?: string }
  })
