/** Actions: calls that change something. After each, everything on the screen is reloaded. */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Atom from "effect/reactivity/Atom"
import * as AtomRegistry from "effect/reactivity/AtomRegistry"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { heldKeys, Replaces, SentKeys } from "./actKeys.ts"
import { registry } from "./registry.ts"

/** The reactivity key of every query: an action reloads all queries on the screen. */
export const shown = ["shown"] as const

/** How many actions have succeeded on these pages. */
export const actsDone = Atom.keepAlive(Atom.make(0))

/** A failed call as a page shows it. */
export type Problem =
  /** The service refused, with a reason. `param`: the wrong field. */
  | {
      readonly kind: "refused"
      readonly code: string
      readonly message: string
      readonly param?: string
      readonly requestId: string
    }
  /** The service did not answer, or was too busy. `mayBeDone`: a retry might do it a second time. */
  | { readonly kind: "away"; readonly mayBeDone?: boolean }
  /** A bug of the console, or an answer that it does not understand. */
  | { readonly kind: "unexpected"; readonly message: string }

export type Outcome<A> = { readonly done: A } | { readonly problem: Problem }

interface Callable<R> {
  readonly runtime: Atom.AtomRuntime<R>
}

/**
 * Runs an action. After a lost answer or 503 it is retried twice with the same Idempotency-Key, which the next press in
 * its dialog also uses. `tries`: 1 for an action without a key, which a retry would do twice. `replaces`: the version
 * of the object that was read; if it has changed, nothing is done.
 */
export const act = <A, E, R>(
  api: Callable<R>,
  call: Effect.Effect<A, E, R>,
  tries = 3,
  replaces?: string
): Promise<Outcome<A>> => {
  const keys = heldKeys()
  const once = call.pipe(
    Effect.provideService(SentKeys, keys),
    Effect.provideService(Replaces, replaces),
    Effect.retry({ while: isAway, times: tries - 1, schedule: Schedule.exponential("400 millis") })
  )
  const inside = Effect.flatMap(AtomRegistry.getResult(registry, api.runtime), (services) =>
    Effect.provideContext(Reactivity.mutation(once, shown), services as Context.Context<R | Reactivity.Reactivity>)
  )
  return Effect.runPromiseExit(inside).then((exit) => {
    if (Exit.isSuccess(exit)) {
      registry.set(actsDone, registry.get(actsDone) + 1)
      return { done: exit.value }
    }
    const problem = problemOf(exit.cause)
    keys.note(problem)
    return { problem: problem.kind === "away" && tries === 1 ? { ...problem, mayBeDone: true } : problem }
  })
}

/** Reads once, independently of the screen: nothing is reloaded afterwards. Retried like an action. */
export const ask = <A, E, R>(api: Callable<R>, call: Effect.Effect<A, E, R>): Promise<Outcome<A>> => {
  const tried = Effect.retry(call, { while: isAway, times: 2, schedule: Schedule.exponential("400 millis") })
  const inside = Effect.flatMap(AtomRegistry.getResult(registry, api.runtime), (services) =>
    Effect.provideContext(tried, services as Context.Context<R>)
  )
  return Effect.runPromiseExit(inside).then((exit) =>
    Exit.isSuccess(exit) ? { done: exit.value } : { problem: problemOf(exit.cause) }
  )
}

/** A transport error, 503, or a proxy's page in place of an answer: the same call may be retried. */
const isAway = (error: unknown): boolean =>
  codeOf(error) === 503 ||
  (HttpClientError.isHttpClientError(error) &&
    (error.reason._tag === "TransportError" || (error.response?.status ?? 0) >= 500))

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code

/** The first failure of a call as a page shows it. */
export const problemOf = (cause: Cause.Cause<unknown>): Problem => {
  const error = Cause.squash(cause)
  if (isAway(error)) return { kind: "away" }
  if (Schema.isSchemaError(error)) return typedWrong(error)
  const { error: code, message, param, request_id: requestId } = error as { readonly [key: string]: string }
  if (typeof code === "string" && typeof message === "string") {
    return { kind: "refused", code, message, requestId: requestId ?? "", ...(param === undefined ? {} : { param }) }
  }
  return { kind: "unexpected", message: String(message ?? error) }
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** Validates a body against the contract before it is sent, with the refusal that the service would give. */
const typedWrong = ({ issue }: Schema.SchemaError): Problem => {
  const [first] = issuesOf(issue).issues
  const path = (first?.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment))
  const wrong = { kind: "refused", code: "invalid_request", message: first?.message ?? "", requestId: "" } as const
  return path.length === 0 ? wrong : { ...wrong, param: path.join(".") }
}

/** Reloads everything on the screen. */
export const readAgain = <R>(api: Callable<R>) => act(api, Effect.void)
