/**
 * Turns domain errors into errors on the wire. Each room has a table of its errors beside its handlers, such as
 * `orderRefusals.ts`, built with the functions here. A handler names the errors that it translates; one that it leaves
 * out does not compile.
 */
import type { InvalidField } from "@coffer/rules/InvalidField"
import { type Duration, type Effect, Predicate } from "effect"
import type { OwnerUnavailable } from "../../platform/cluster/ask.ts"
import type { NotCommitted } from "../../platform/commit/Change.ts"
import { busy, refuseField, refuseTemporarily, refuseWith } from "./replies.ts"

type WireClass<Fields, Refusal> = new (fields: Fields & { readonly request_id: string }) => Refusal
type Content<Fields> = Omit<Fields, "request_id">

/** Translates an error to this wire error, with a message and, where a field is wrong, its name. */
export const refuseAs =
  <Fields extends { readonly message: string }, Refusal, Error>(
    wire: WireClass<Fields, Refusal>,
    contentOf: (error: Error) => Content<Fields>
  ): ((error: Error) => Effect.Effect<never, Refusal>) =>
  (error) =>
    refuseWith((request_id) => new wire({ ...(contentOf(error) as Fields), request_id }), reasonOf(error))

/** The same for a temporary condition: its `lasts` becomes `Retry-After`. */
export const refuseTemporarilyAs =
  <Fields extends { readonly message: string }, Refusal, Error extends { readonly lasts: Duration.Duration }>(
    wire: WireClass<Fields, Refusal>,
    contentOf: (error: Error) => Content<Fields>
  ): ((error: Error) => Effect.Effect<never, Refusal>) =>
  (error) =>
    refuseTemporarily(
      error.lasts,
      (request_id) => new wire({ ...(contentOf(error) as Fields), request_id }),
      reasonOf(error)
    )

/** The domain's own reason: the error's literal `reason`, otherwise its name. */
const reasonOf = (error: unknown): string | undefined => {
  if (Predicate.hasProperty(error, "reason") && typeof error.reason === "string" && isWord(error.reason)) {
    return error.reason
  }
  if (!Predicate.hasProperty(error, "_tag") || typeof error._tag !== "string") return undefined
  return error._tag.replace(/(?!^)[A-Z]/g, "_$&").toLowerCase()
}
/** Texts for people are reasons, too. */
const isWord = (text: string) => /^[a-z]+(_[a-z]+)*$/.test(text)

/** Errors that every room has. */
export const commonRefusals = {
  InvalidField: ({ param, problem }: InvalidField) => refuseField(param, problem)
}

/** Failures of any write. The request may be correct, so it may be retried. */
export const unavailable = {
  NotCommitted: (_: NotCommitted) => busy,
  OwnerUnavailable: (_: OwnerUnavailable) => busy
}
