/**
 * Front door to operators: the operator of a token. Every request reads it from the database, so a revoked token stops
 * working at once on all runners. `OPERATOR_TOKEN` is an admin's and is not in the database.
 */
import type { CurrentOperator } from "@coffer/contract/Caller"
import { type CreateOperator, tokenDays } from "@coffer/contract/Operators"
import { createdAtOf, type OperatorId } from "@coffer/model/Ids"
import { InvalidField } from "@coffer/rules/InvalidField"
import { type ListParameters, type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { commonRole } from "@coffer/rules/people/mayDo"
import type { Operator } from "@coffer/rules/operator/Operator"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { span } from "../../platform/runtime/span.ts"
import * as OperatorStore from "./OperatorStore.ts"

export class OperatorNotFound extends Schema.TaggedError<OperatorNotFound>()("OperatorNotFound", {
  operatorId: Schema.String
}) {}

/** The current operator. */
export type Identity = CurrentOperator["Service"]

export interface Bearer {
  /** Whether it was an operator's token at its last look-up here. From memory, and perhaps stale. */
  readonly isRecalled: boolean
  readonly operator: Effect.Effect<Option.Option<Identity>>
  /** Whether it was an operator's, and has expired or was revoked. */
  readonly hasEnded: Effect.Effect<boolean>
}

export interface Created {
  readonly operator: Operator
  readonly token: string
}

export class Operators extends Context.Service<
  Operators,
  {
    readonly byToken: (token: string) => Bearer
    /** Fails if the terms name a person without a role of the installation. */
    readonly check: (terms: CreateOperator) => Effect.Effect<void, InvalidField>
    /** Returns the token, which is shown only this once, to `by`; none if `by` has lost the right to make it. */
    readonly create: (terms: CreateOperator, by: Identity) => Effect.Effect<Option.Option<Created>>
    readonly revoke: (operatorId: string) => Effect.Effect<Operator, OperatorNotFound>
    /** None if a named admin ever existed. Revoked ones count: otherwise one could revoke the others and start over. */
    readonly createFirst: (terms: CreateOperator, by: Identity) => Effect.Effect<Option.Option<Created>>
    /** Newest first. */
    readonly list: (query: ListParameters) => Effect.Effect<Page<Operator>, InvalidField>
  }
>()("@coffer/operators/Operators") {}

/** The operator of `OPERATOR_TOKEN`, or of the token of the first start. */
export const fromSettings: Identity = {
  operatorId: "OPERATOR_TOKEN",
  name: "OPERATOR_TOKEN",
  role: "admin",
  personIds: []
}

const tokenPattern = /^opt_[\w-]{43}$/
/** Hashes of tokens that are remembered. */
const recalledMax = 10_000

export const layer = Layer.effect(
  Operators,
  Effect.gen(function* () {
    const store = yield* OperatorStore.OperatorStore
    const secrets = yield* Secrets
    const recalled = new Set<string>()

    const operatorOf = (hash: string) =>
      Effect.gen(function* () {
        const now = yield* currentTime
        const found = Option.flatMap(yield* store.byTokenHash(hash), (token) => identityOf(token, now))
        if (Option.isNone(found)) recalled.delete(hash)
        else if (recalled.size < recalledMax) recalled.add(hash)
        return found
      })

    const newOperator = Effect.fnUntraced(function* (terms: CreateOperator, by: Identity) {
      const { expires_in_days = tokenDays.usual, name, person_id, role } = terms
      const now = yield* currentTime
      const personIds = [...new Set([...(person_id === undefined ? [] : [person_id]), ...by.personIds])]
      const token = `opt_${yield* secrets.random(32)}`
      const numbered = (operatorId: OperatorId): Operator => ({
        operatorId,
        name,
        role,
        personIds,
        createdAt: createdAtOf(operatorId),
        expiresAt: DateTime.add(now, { days: expires_in_days }),
        revokedAt: null
      })
      return { numbered, token }
    })

    return Operators.of({
      byToken: (token) => {
        if (secrets.isOperator(token))
          return { ...unknownBearer, isRecalled: true, operator: Effect.succeedSome(fromSettings) }
        if (!tokenPattern.test(token)) return unknownBearer
        const hash = secrets.keyHash(token)
        // A token that is not valid now was valid once.
        const hasEnded = Effect.map(store.byTokenHash(hash), Option.isSome)
        return { isRecalled: recalled.has(hash), operator: operatorOf(hash), hasEnded }
      },
      check: Effect.fnUntraced(function* ({ person_id }) {
        if (person_id === undefined || (yield* store.isHere(person_id))) return
        return yield* new InvalidField({
          param: "person_id",
          problem: "is not a person with an operator role"
        })
      }),
      create: span("Operators.create")(function* (terms, by) {
        const { numbered, token } = yield* newOperator(terms, by)
        return Option.map(yield* store.insert(numbered, secrets.keyHash(token), by), (operator) => ({
          operator,
          token
        }))
      }),
      createFirst: span("Operators.createFirst")(function* (terms, by) {
        const { numbered, token } = yield* newOperator(terms, by)
        return Option.map(yield* store.insertFirst(numbered, secrets.keyHash(token)), (operator) => ({
          operator,
          token
        }))
      }),
      revoke: span("Operators.revoke")(function* (operatorId) {
        const revoked = yield* store.revoke(operatorId, yield* currentTime)
        return Option.isSome(revoked) ? revoked.value : yield* new OperatorNotFound({ operatorId })
      }),
      list: span("Operators.list")(function* (query) {
        return yield* store.page(yield* Effect.fromResult(readPageRequest(query)))
      })
    })
  })
).pipe(Layer.provide(OperatorStore.layer))

const unknownBearer: Bearer = { isRecalled: false, operator: Effect.succeedNone, hasEnded: Effect.succeed(false) }

/** A token ends with each of its people, and never has more rights than each of them has now (silences: U40). */
const identityOf = ({ operator, rolesNow }: OperatorStore.OfToken, now: DateTime.Utc): Option.Option<Identity> => {
  const { expiresAt, name, operatorId, personIds, revokedAt } = operator
  if (revokedAt !== null || DateTime.isGreaterThanOrEqualTo(now, expiresAt)) return Option.none()
  const here = rolesNow.filter((role) => role !== null)
  if (here.length < rolesNow.length) return Option.none()
  return Option.some({ operatorId, name, role: here.reduce(commonRole, operator.role), personIds })
}
