/** A browser as the console's tests play it: it keeps cookies and sends the console's header. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Api, Reply } from "../Api.ts"
import type { Authenticator, Changes } from "./authenticator.ts"
import type { MailServer } from "../servers/MailServer.ts"

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Effect.Effect<Reply>

export interface ConsoleBrowser {
  /** The cookies of the browser, by name. */
  readonly cookies: Map<string, string>
  readonly call: Send
  /** The same to the operator's API. */
  readonly operate: Send
}

/** `origin`: of the page that asks, which is that of PUBLIC_URL. */
export const consoleBrowser = (api: Api, origin = api.url): ConsoleBrowser => {
  const cookies = new Map<string, string>()
  const sendTo =
    (base: string): Send =>
    (method, path, body, headers) =>
      Effect.map(
        api.call(method, `${base}${path}`, {
          body,
          headers: { Origin: origin, ...headersOf({ cookies }), ...headers }
        }),
        (reply) => {
          for (const line of (reply.headers as Headers).getSetCookie()) {
            const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
            if (/max-age=0/i.test(line)) cookies.delete(name)
            else cookies.set(name, value)
          }
          return reply
        }
      )
  return { cookies, call: sendTo("/console/api"), operate: sendTo("/console/api/operator") }
}

/** The headers of a page of this browser, for a call that goes elsewhere. */
export const headersOf = ({ cookies }: Pick<ConsoleBrowser, "cookies">) => ({
  "Coffer-Console": "1",
  ...(cookies.size === 0 ? {} : { Cookie: Array.from(cookies, (pair) => pair.join("=")).join("; ") })
})

/** The secret of the link in a mail, whose lines may be folded. */
export const linkIn = (mail: string): string => {
  const [, token] = /\/console\/sign-in#([\w-]{43})/.exec(mail.replaceAll("=\r\n", "")) ?? []
  assert.isString(token, mail)
  return token!
}

/** Asks for a link, reads its mail and uses it. */
export const signIn = Effect.fnUntraced(function* (api: Api, mails: MailServer, email: string, origin?: string) {
  const browser = consoleBrowser(api, origin)
  const before = mails.mails.length
  assert.strictEqual((yield* browser.call("POST", "/sign_in", { email })).status, 202)
  const token = linkIn(yield* mails.mail(before + 1))
  const used = yield* browser.call("POST", "/sign_in/use", { token })
  assert.strictEqual(used.status, 201, used.text)
  return { ...browser, token, signedIn: used.body.data }
})

/** Asks a browser for a new passkey of this authenticator. */
export const register = Effect.fnUntraced(function* (
  { call }: ConsoleBrowser,
  key: Authenticator,
  changes: Changes = {}
) {
  const asked = yield* call("POST", "/passkeys/options")
  assert.strictEqual(asked.status, 200, asked.text)
  const credential = key.create(asked.body.data.options, changes)
  return yield* call("POST", "/passkeys", { name: "My key", credential })
})

/** Signs in with a passkey. */
export const enterBy = Effect.fnUntraced(function* (
  { call }: ConsoleBrowser,
  key: Authenticator,
  changes: Changes = {}
) {
  const asked = yield* call("POST", "/sign_in/passkey/options")
  assert.strictEqual(asked.status, 200, asked.text)
  const credential = key.get(asked.body.data.options, changes)
  return { credential, entered: yield* call("POST", "/sign_in/passkey", { credential }) }
})

/** Gives a role of a merchant, and reads away the mail about it. */
export const invite = Effect.fnUntraced(function* (
  api: Api,
  mails: MailServer,
  person: { readonly email: string; readonly merchant_id?: string; readonly role: string }
) {
  const before = mails.mails.length
  const invited = yield* api.operator("POST", "/people", person)
  assert.strictEqual(invited.status, 200, invited.text)
  yield* mails.mail(before + 1)
  return invited.body.data as { readonly person_id: string }
})
