/** People of merchants in the console: an operator invites them, and they sign in by a link from a mail. */
import type { Call, Oracle } from "../Oracle.ts"
import { type Role, roles } from "../people.ts"
import { hours } from "../values.ts"
import { browser } from "./browser.ts"
import type { Place } from "./place.ts"

export const isRole = (key: Call["key"]): key is Role => roles.includes(key as Role)

/** How long a session is used. Some acts need a more recent one. */
const usedFor = 6 * hours

export const peopleOf = (place: Place) => {
  const sessions = new Map<string, { readonly since: number; readonly browser: ReturnType<typeof browser> }>()
  const nameOf = ({ key, merchant }: Call) => `${key} ${merchant}`

  const signIn = async (email: string) => {
    const person = browser()
    const ask = async (path: string, body: object) => {
      const headers = { ...person.headers(), Origin: place.url, "Coffer-Console": "1" }
      const reply = await place.send({ method: "POST", path: `/console/api${path}`, headers, body })
      person.keep(reply)
      return reply.status
    }
    const before = place.mails().length
    if ((await ask("/sign_in", { email })) >= 300) throw new Error(`${email} cannot ask for a link`)
    // The mail of an earlier request may come later. Its link does not work in this browser.
    const tried = new Set<string>()
    for (let tries = 0; tries < 1_500; tries++) {
      const mails = place
        .mails()
        .slice(before)
        .filter((each) => each.includes(email))
      for (const mail of mails) {
        const [, token] = /sign-in#([\w-]{43})/.exec(mail.replaceAll("=\r\n", "")) ?? []
        if (token === undefined || tried.has(token)) continue
        tried.add(token)
        if ((await ask("/sign_in/use", { token })) < 300) return person
      }
      await place.breathe()
    }
    // A mail that failed is sent again as time passes.
    return undefined
  }

  return {
    /** The call with a session of this person. */
    enter: async (call: Call, oracle: Oracle): Promise<Call> => {
      const known = sessions.get(nameOf(call))
      if (known !== undefined && known.since + usedFor > place.now()) return { ...call, since: known.since }
      const { closedAt, merchantId, suspended } = oracle.accounts[call.merchant]!
      const instead: Call = {
        merchant: call.merchant,
        key: "operator",
        method: "GET",
        path: `/operator/v1/merchants/${merchantId}`
      }
      // An invitation of a suspended or closed merchant cannot be accepted (silences: U42).
      if (known === undefined && (suspended || closedAt !== undefined)) return instead
      const email = `${call.key}@${merchantId.slice(4).toLowerCase()}.example`
      if (known === undefined) await place.invite({ email, merchant_id: merchantId, role: call.key as Role })
      const since = place.now()
      const person = await signIn(email)
      if (person === undefined) return instead
      sessions.set(nameOf(call), { since, browser: person })
      return { ...call, since }
    },
    headersOf: (call: Call): Record<string, string> => ({
      ...sessions.get(nameOf(call))!.browser.headers(),
      Origin: place.url,
      "Coffer-Console": "1"
    })
  }
}
