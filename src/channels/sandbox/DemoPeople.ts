/**
 * Two people of the embedded default, with whom a developer on this machine opens the console without a mail: the owner
 * of the demo merchant, and an operator (docs/decisions/0092). They sign in only by a link on the terminal. No mail
 * reaches their addresses, and they are removed once the installation is more than a demonstration.
 */
import { needsTwo } from "@coffer/model/TwoOperators"
import { installation } from "@coffer/model/PersonRole"
import { linkValidity } from "@coffer/rules/people/signIn"
import { DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { hasLiveMerchants } from "../../door/doctor/Installation.ts"
import * as PeopleStore from "../../access/people/PeopleStore.ts"
import * as PersonSessionStore from "../../access/people/PersonSessionStore.ts"
import { signInSettings } from "../../access/people/signInSettings.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { kept } from "./Demo.ts"

export interface DemoLinks {
  readonly owner: string
  readonly operator: string
}

/** RFC 2606: no mail is ever delivered there. */
const emails = { owner: "owner@demo.invalid", operator: "operator@demo.invalid" } as const

const stores = Layer.mergeAll(PeopleStore.layer, PersonSessionStore.layer)

/**
 * Undefined without demo people: the installation requires passkeys, two operators or an OpenID provider, or has a live
 * merchant. A demo person would bypass each of these.
 */
export const links = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const settings = yield* Settings
  const { adminUrl, publicUrl, twoOperators } = settings
  const { demandPasskeys, openId } = settings.of(signInSettings)
  const isMore =
    demandPasskeys.live ||
    demandPasskeys.operators ||
    openId !== undefined ||
    needsTwo(twoOperators) ||
    (yield* sqlDefects(hasLiveMerchants(sql)))
  if (isMore) return yield* Effect.as(withdraw, undefined)
  const { merchant_id } = yield* kept
  const give = yield* makeGive
  // The operator sees a merchant's pages as well, and creates orders while runners are killed.
  yield* give({ email: emails.operator, name: "Demo operator", belongsTo: merchant_id, role: "owner" }, publicUrl)
  return {
    owner: yield* give({ email: emails.owner, name: "Demo owner", belongsTo: merchant_id, role: "owner" }, publicUrl),
    operator: yield* give(
      { email: emails.operator, name: "Demo operator", belongsTo: installation, role: "admin" },
      adminUrl ?? publicUrl
    )
  } satisfies DemoLinks
}).pipe(Effect.provide(stores))

/** Removes their roles, and with them their sessions, at each start of an installation with a database of its own. */
export const withdraw = Effect.gen(function* () {
  const people = yield* PeopleStore.PeopleStore
  for (const email of Object.values(emails)) {
    const found = yield* people.byEmail(email)
    if (Option.isNone(found)) continue
    const { person_id, roles } = found.value
    for (const { belongs_to } of roles) yield* people.take(person_id, belongs_to, { spares: false })
  }
}).pipe(Effect.provide(stores))

type Role = Pick<PeopleStore.NewRole, "email" | "name" | "belongsTo" | "role">

/** Gives the role, and a link that works once in any browser. Earlier links stop working. */
const makeGive = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const people = yield* PeopleStore.PeopleStore
  const sessions = yield* PersonSessionStore.PersonSessionStore
  const secrets = yield* Secrets

  return Effect.fnUntraced(function* (role: Role, at: string) {
    const now = yield* currentTime
    const person = yield* people.give({ ...role, now, replaces: true })
    if (typeof person === "string") return yield* Effect.die(new Error(`the demo person has no role: ${person}`))
    const token = yield* secrets.random(32)
    yield* sqlDefects(sql`delete from sign_in_links where person_id = ${person.person_id}`)
    const link = {
      at,
      tokenHash: secrets.keyHash(token),
      personId: person.person_id,
      browserHash: null,
      askerHash: null,
      now,
      expiresAt: DateTime.addDuration(now, linkValidity)
    }
    yield* sessions.insertLink(link, () => Effect.void)
    return `${at}/console/sign-in#${token}`
  })
})
