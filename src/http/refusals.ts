/**
 * How a domain error is told to the caller. Each room has a table of its own errors beside its handlers
 * (`orderRefusals.ts` and so on), which is made of the functions here. A handler names the errors that it translates:
 * one that it leaves out does not compile.
 */
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Duration, Effect } from "effect"
import type { ActorUnavailable } from "../platform/cluster/ask.ts"
import type { NotCommitted } from "../platform/commit/Change.ts"
import { busy, refuseField, refuseMeanwhile, refuseWith } from "./replies.ts"

type WireClass<Given, Refusal> = new (given: Given & { readonly request_id: string }) => Refusal
type Told<Given> = Omit<Given, "request_id">

/** An error that is told as one of the wire's, with a message and, where a field is to blame, its name. */
export const told =
  <Given extends { readonly message: string }, Refusal, Error>(
    wire: WireClass<Given, Refusal>,
    tell: (error: Error) => Told<Given>
  ): ((error: Error) => Effect.Effect<never, Refusal>) =>
  (error) =>
    refuseWith((request_id) => new wire({ ...(tell(error) as Given), request_id }))

/** The same for an error that ends by itself: `lasts` becomes `Retry-After`. */
export const toldMeanwhile =
  <Given extends { readonly message: string }, Refusal, Error extends { readonly lasts: Duration.Duration }>(
    wire: WireClass<Given, Refusal>,
    tell: (error: Error) => Told<Given>
  ): ((error: Error) => Effect.Effect<never, Refusal>) =>
  (error) =>
    refuseMeanwhile(error.lasts, (request_id) => new wire({ ...(tell(error) as Given), request_id }))

/** Errors that every room knows. */
export const commonRefusals = {
  InvalidField: ({ param, problem }: InvalidField) => refuseField(param, problem)
}

/** Nothing is known to be wrong with the request: it may be sent again. Every write can end so. */
export const unavailable = {
  NotCommitted: (_: NotCommitted) => busy,
  ActorUnavailable: (_: ActorUnavailable) => busy
}
