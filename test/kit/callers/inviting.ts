/** A service with a person who invites others. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { mailServer } from "../servers/MailServer.ts"
import { start } from "../Service.ts"
import { invite, signIn } from "./console.ts"

export const origin = "https://pay.example"

/** A merchant with an owner who invites, and another one with a person of its own. */
export const begin = Effect.fnUntraced(function* (options: Parameters<typeof start>[0] = {}) {
  const mails = yield* mailServer()
  const running = yield* start({
    ...options,
    env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", PUBLIC_URL: origin, ...options.env }
  })
  const { api, merchant } = running
  const other = yield* api.newMerchant("Another shop")
  const person = Effect.fnUntraced(function* (email: string, role: string, merchant_id?: string) {
    const invited = yield* invite(api, mails, { email, role, ...(merchant_id === undefined ? {} : { merchant_id }) })
    const browser = yield* signIn(api, mails, email, origin)
    return { ...browser, email, person_id: invited.person_id }
  })
  const inviter = yield* person("inviter@evil.example", "owner", merchant.merchantId)
  const at = `/merchants/${merchant.merchantId}/people`
  const askFor = (email: string, more: object = {}) =>
    Effect.gen(function* () {
      const before = mails.mails.length
      const invited = yield* inviter.call("POST", at, { email, role: "viewer", ...more })
      assert.strictEqual(invited.status, 201, invited.text)
      return { ...invited.body.data, mail: yield* mails.mail(before + 1) }
    })
  return { ...running, mails, person, inviter, at, askFor, otherId: other.merchantId, merchantId: merchant.merchantId }
})

export const statusOf = Effect.map(({ status }: { readonly status: number }) => status)
