/**
 * What the console's door asks once the request is decoded, and before the handler: whether the person may set these
 * fields, and may give the rights of the act. The table of acts says both (`@coffer/contract/acts`). The middleware of
 * the session has checked the role, the merchant and the session (`src/door/edge/peopleDoors.ts`).
 */
import * as Wire from "@coffer/contract/Errors"
import { consoleAct, type ConsoleActName } from "@coffer/contract/acts"
import type { Gift } from "@coffer/contract/actTypes"
import { CurrentPerson } from "@coffer/contract/Caller"
import type { PersonRole } from "@coffer/model/PersonRole"
import { forbiddenField, isForFresh } from "@coffer/rules/people/mayDo"
import { givenBy, lacking } from "@coffer/rules/people/rights"
import { freshFor } from "@coffer/rules/people/signIn"
import { DateTime, Duration, Effect } from "effect"
import { currentTime } from "../../platform/runtime/clock.ts"
import { refuseWith } from "./replies.ts"

export const forbidden = (message: string) => refuseWith((request_id) => new Wire.Forbidden({ message, request_id }))

/** Whether the session was opened a short time ago. */
export const isFreshNow = (openedAt: DateTime.Utc): Effect.Effect<boolean> =>
  Effect.map(currentTime, (now) => Duration.isLessThanOrEqualTo(DateTime.distance(openedAt, now), freshFor))

export const tooOld = "This session is older than 15 minutes. Sign in again."

/** A request of an act for a merchant. */
interface Call<Params> {
  readonly params: Params & { readonly merchant_id: string }
  readonly payload?: Readonly<Record<string, unknown>>
}
type Handler<Params> = (call: Call<Params>) => Effect.Effect<unknown, unknown, unknown>
/** The rights of what the path names, for acts that give `its object`; undefined: there is none. */
type ObjectOf<Params> = (params: Call<Params>["params"]) => Effect.Effect<Gift | undefined, unknown, never>

const check = Effect.fnUntraced(function* <Params>(
  act: ConsoleActName,
  { params, payload = {} }: Call<Params>,
  gift: Gift | undefined
) {
  const { shown } = yield* CurrentPerson
  const role = shown.person.roles.find(({ merchant_id }) => merchant_id === params.merchant_id)?.role as PersonRole
  const field = forbiddenField(act, role, payload)
  if (field !== undefined) return yield* forbidden(`The role ${role} can't change ${field}.`)
  if (gift === undefined) return
  const missing = lacking({ is: "person", role }, gift)
  if (missing.length > 0) {
    return yield* forbidden(`The role ${role} can't grant permissions it doesn't have: ${missing.join(", ")}.`)
  }
  const openedAt = DateTime.makeUnsafe(shown.session.created_at)
  const mode = gift.is === "key" ? gift.mode : undefined
  if (isForFresh(consoleAct(act).fresh, mode) && !(yield* isFreshNow(openedAt))) return yield* forbidden(tooOld)
})

/** The handlers of a group of the console, behind the check of what each gives. */
export const granting = <Params, Handlers extends { readonly handleAll: Function }>(
  handlers: Handlers,
  group: string,
  objectOf: ObjectOf<Params> = () => Effect.undefined
): Handlers => {
  const behindCheck = (name: string, handler: Handler<Params>): Handler<Params> => {
    const act = `${group}.${name}` as ConsoleActName
    const { fields, gives } = consoleAct(act)
    if (fields === undefined && gives === undefined) return handler
    return Effect.fnUntraced(function* (call) {
      const source = givenBy(gives, call)
      yield* check(act, call, source === "its object" ? yield* objectOf(call.params) : source)
      return yield* handler(call)
    })
  }
  return Object.assign(Object.create(handlers), {
    handleAll: (all: Readonly<Record<string, Handler<Params>>>) =>
      handlers.handleAll(
        Object.fromEntries(Object.entries(all).map(([name, handler]) => [name, behindCheck(name, handler)]))
      )
  })
}
