/** What people of a merchant may do with its keys in the console (silences: U40, U41). */
import { bodyOf } from "./fields.ts"
import { actOnKey, covers, createKey, forbidden, scopesKnown } from "./rights.ts"
import type { Account, ScopedKey } from "./state.ts"
import { type Answer, minutes } from "./values.ts"

export const roles = ["owner", "developer", "support", "finance", "viewer"] as const
export type Role = (typeof roles)[number]

/** A signed-in person, with the time of the sign-in. */
export interface Person {
  readonly role: Role
  readonly since: number
}

/** In the sandbox a developer has all scopes; in live those of the integration without money. */
const scopesOf = (role: Role, mode: string): ReadonlyArray<string> =>
  role === "owner" || mode === "sandbox"
    ? scopesKnown
    : [
        ...scopesKnown.filter((scope) => scope.endsWith(":read")),
        "orders:write",
        "payment_links:write",
        "webhooks:write"
      ]

const isFresh = ({ since }: Person, now: number) => now < since + 15 * minutes

/** No one can grant more than they have, and giving a live key needs a recent sign-in. */
const mayGive = (person: Person, now: number, { mode, scopes }: Pick<ScopedKey, "mode" | "scopes">) =>
  scopes.every((scope) => covers(scopesOf(person.role, mode), scope)) && (mode === "sandbox" || isFresh(person, now))

const mayKeepKeys = ({ role }: Person) => role === "owner" || role === "developer"

export const createByPerson = (account: Account, now: number, person: Person, body: unknown): Answer => {
  if (!mayKeepKeys(person) || account.suspended || account.closedAt !== undefined) return forbidden()
  const before = account.keys.length
  const answer = createKey(account, now, body, `${person.role}@`)
  if (account.keys.length === before || mayGive(person, now, account.keys[before]!)) return answer
  account.keys.length = before
  return forbidden()
}

export const actByPerson = (account: Account, now: number, person: Person, ref: string, body: unknown): Answer => {
  const [no, act] = ref.split("/")
  const key = account.keys.find((each) => each.no.value === no)
  if (!mayKeepKeys(person)) return forbidden()
  if (act === "revoke") return actOnKey(account, now, ref, body)
  if (account.suspended || account.closedAt !== undefined) return forbidden()
  const isRoll = bodyOf(body)["overlap_minutes"] === 0
  return key !== undefined && isRoll && !mayGive(person, now, key) ? forbidden() : actOnKey(account, now, ref, body)
}
