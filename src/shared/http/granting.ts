/**
 * What the console's door asks once the request is decoded, and before the handler: whether the person may set these
 * fields, and may give the rights of the act. The table of acts says both (`@coffer/contract/acts`). The middleware of
 * the session has checked the role, the merchant and the session (`src/door/edge/peopleDoors.ts`). A group that is
 * served without this check does not compile.
 */
import * as Wire from "@coffer/contract/Errors"
import {
  consoleAct,
  type ConsoleActName,
  type consoleActs,
  operatorAct,
  type OperatorActName
} from "@coffer/contract/acts"
import type { Fresh, Gift } from "@coffer/contract/actTypes"
import { CurrentOperator, CurrentPerson } from "@coffer/contract/Caller"
import { ConsoleApi } from "@coffer/contract/Console"
import type { PersonRole } from "@coffer/model/PersonRole"
import { forbiddenField, isForFresh } from "@coffer/rules/people/mayDo"
import { givenBy, lacking } from "@coffer/rules/people/rights"
import { freshFor } from "@coffer/rules/people/signIn"
import { DateTime, Duration, Effect, type Layer, type Scope } from "effect"
import { type HttpApi, HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { currentTime } from "../../platform/runtime/clock.ts"
import { refuseWith } from "./replies.ts"

export const forbidden = (message: string) => refuseWith((request_id) => new Wire.Forbidden({ message, request_id }))

/** Whether the session was opened a short time ago. */
export const isFreshNow = (openedAt: DateTime.Utc): Effect.Effect<boolean> =>
  Effect.map(currentTime, (now) => Duration.isLessThanOrEqualTo(DateTime.distance(openedAt, now), freshFor))

export const tooOld = "This session is older than 15 minutes. Sign in again."

/** `gift`: what this request gives. */
const checkSession = Effect.fnUntraced(function* (fresh: Fresh | undefined, gift: Gift, openedAt: DateTime.Utc) {
  const mode = gift.is === "key" ? gift.mode : undefined
  if (isForFresh(fresh, mode) && !(yield* isFreshNow(openedAt))) return yield* forbidden(tooOld)
})

/** A request of an act for a merchant. */
interface Call<Params> {
  readonly params: Params & { readonly merchant_id: string }
  readonly payload?: Readonly<Record<string, unknown>>
}
type Handler<Params> = (call: Call<Params>) => Effect.Effect<unknown, unknown, unknown>
type HandlersByName<Params> = Readonly<Record<string, Handler<Params>>>

const mapHandlers = <Params>(
  all: HandlersByName<Params>,
  change: (name: string, handler: Handler<Params>) => Handler<Params>
): HandlersByName<Params> =>
  Object.fromEntries(Object.entries(all).map(([name, handler]) => [name, change(name, handler)]))

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
  yield* checkSession(consoleAct(act).fresh, gift, DateTime.makeUnsafe(shown.session.created_at))
})

// Groups ------------------------------------------------------------------------------

type Groups = typeof ConsoleApi extends HttpApi.HttpApi<string, infer Each> ? Each : never
type GroupName = HttpApiGroup.Identifier<Groups>
/** `handle` and `handleRaw` would go past the check. */
type HandlersOf<Name extends GroupName> = Pick<
  HttpApiBuilder.Handlers.FromGroup<HttpApiGroup.WithIdentifier<Groups, Name>>,
  "handleAll"
>

/** Acts that give the rights of what their path names. */
type GivesItsObject = {
  readonly [Act in ConsoleActName]: "its object" extends SourceOf<(typeof consoleActs)[Act]> ? Act : never
}[ConsoleActName]
type SourceOf<Row> = Row extends { readonly gives: infer Gives }
  ? Gives extends (request: never) => infer Source
    ? Source
    : Gives
  : never
/** A group with such an act has to say how these rights are found. */
type Finding<Name extends GroupName, Params, R> =
  Extract<GivesItsObject, `${Name}.${string}`> extends never
    ? []
    : [objectOf: Effect.Effect<ObjectOf<Params>, never, R>]

/** A group of the console whose handlers stand behind the check of their acts. `consoleGroup` alone makes one. */
export interface Checked<Name extends GroupName> {
  readonly checked: Name
}

/** The handlers of a group of the console, each behind the check of what its act sets and gives. */
export const consoleGroup = <
  const Name extends GroupName,
  Return extends Effect.Effect<unknown, unknown, unknown>,
  Params,
  R = never
>(
  name: Name,
  build: (handlers: HandlersOf<Name>) => HttpApiBuilder.Handlers.ValidateReturn<Return>,
  ...[objectOf]: Finding<Name, Params, R>
): Layer.Layer<
  Checked<Name>,
  HttpApiBuilder.Handlers.Error<Return>,
  Exclude<HttpApiBuilder.Handlers.Context<Return> | R, Scope.Scope>
> => {
  const behindCheck = Effect.fnUntraced(function* (handlers: HandlersOf<Name>) {
    const rightsOf = objectOf === undefined ? () => Effect.undefined : yield* objectOf
    const handleAll = (all: HandlersByName<Params>) =>
      handlers.handleAll(
        mapHandlers(all, (act, handler) => checked(`${name}.${act}` as ConsoleActName, handler, rightsOf)) as never
      )
    const built: Effect.Effect<unknown> = build({ handleAll } as never) as never
    return yield* built
  })
  return HttpApiBuilder.group(ConsoleApi, name, behindCheck as never) as never
}

const checked = <Params>(
  act: ConsoleActName,
  handler: Handler<Params>,
  objectOf: ObjectOf<Params>
): Handler<Params> => {
  const { fields, gives } = consoleAct(act)
  if (fields === undefined && gives === undefined) return handler
  return Effect.fnUntraced(function* (call) {
    const source = givenBy(gives, call)
    yield* check(act, call, source === "its object" ? yield* objectOf(call.params) : source)
    return yield* handler(call)
  })
}

/**
 * The handlers of a group of the operators' API, behind the check of the session where a request gives a live right.
 * A row that always wants a new session is checked at the door. A token has no session.
 */
export const grantingByOperator = <Handlers extends { readonly handleAll: Function }>(
  handlers: Handlers,
  group: string
): Handlers => {
  const behindCheck = (name: string, handler: Handler<never>): Handler<never> => {
    const { fresh, gives } = operatorAct(`${group}.${name}` as OperatorActName)
    if (fresh !== "live") return handler
    return Effect.fnUntraced(function* (call) {
      const { openedAt } = yield* CurrentOperator
      const gift = givenBy(gives, call)
      if (openedAt !== undefined && typeof gift === "object") yield* checkSession(fresh, gift, openedAt)
      return yield* handler(call)
    })
  }
  return Object.assign(Object.create(handlers), {
    handleAll: (all: HandlersByName<never>) => handlers.handleAll(mapHandlers(all, behindCheck))
  })
}

const routes = HttpApiBuilder.layer(ConsoleApi)
type Unchecked = HttpApiGroup.ToService<"coffer-console", Groups>
type AllChecked = { readonly [Name in GroupName]: Checked<Name> }[GroupName]

/** The routes of the console's API. They take no group that `consoleGroup` has not made. */
export const layerConsole = routes as Layer.Layer<never, never, never> as Layer.Layer<
  never,
  never,
  Exclude<Layer.Services<typeof routes>, Unchecked> | AllChecked
>
