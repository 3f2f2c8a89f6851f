/** People of merchants in the console: an operator invites them, and they sign in by a link from a mail. */
import type { Call, Oracle } from "../Oracle.ts"
import { type Role, roles } from "../people.ts"
import { hours } from "../values.ts"
import { browser } from "./browser.ts"
import type { Place } from "./place.ts"

export const isRole = (key: Call["key"]): key is Role => roles.includes(key as Role)

/** How long a session is used. Some acts need a more recent one. */
const usedFor = 1 * hours

export const peopleOf = (place: Place) => {
  const sessions = new Map<string, { readonly since: number; readonly browser: ReturnType<typeof browser> }>()
  const nameOf = ({ key, merchant }: Call) => `${key} ${merchant}`

  const signIn = async (email: string) => {
    const person = browser()
    const ask = async (path: string, body: object) => {
      const headers = { ...person.headers(), Origin: place.url, "Coffer-Console": "1" }
      const reply = await place.send({ method: "POST", path: `/console/api${path}`, headers, body })
      person.keep(reply)
      if (reply.status >= 300) throw new Error(`${path} of ${email} was answered ${reply.status}`)
    }
    const before = place.mails().length
    await ask("/sign_in", { email })
    let token: string | undefined
    while (token === undefined) {
      await place.rest()
      const mail = place
        .mails()
        .slice(before)
        .find((each) => each.includes(email) && each.includes("sign-in#"))
      token = /sign-in#([\w-]{43})/.exec((mail ?? "").replaceAll("=\r\n", ""))?.[1]
      if (token === undefined) await place.breathe()
    }
    await ask("/sign_in/use", { token })
    return person
  }

  return {
    /** The call with a session of this person. */
    enter: async (call: Call, oracle: Oracle): Promise<Call> => {
      const known = sessions.get(nameOf(call))
      if (known !== undefined && known.since + usedFor > place.now()) return { ...call, since: known.since }
      const { merchantId } = oracle.accounts[call.merchant]!
      const email = `${call.key}@${merchantId.slice(4).toLowerCase()}.example`
      if (known === undefined) await place.invite({ email, merchant_id: merchantId, role: call.key as Role })
      const since = place.now()
      sessions.set(nameOf(call), { since, browser: await signIn(email) })
      return { ...call, since }
    },
    headersOf: (call: Call): Record<string, string> => ({
      ...sessions.get(nameOf(call))!.browser.headers(),
      Origin: place.url,
      "Coffer-Console": "1"
    })
  }
}
