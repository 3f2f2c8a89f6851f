/**
 * Whether a person of the merchant, or an operator, still has the right to create a secret, or to make a change that
 * outlives the right.
 */
import type { ConsoleActName, OperatorActName } from "@coffer/contract/acts"
import { type Asker, CurrentOperator } from "@coffer/contract/Caller"
import type { Mode } from "@coffer/model/Ids"
import { installation, PersonRole } from "@coffer/model/PersonRole"
import { Role } from "@coffer/model/Role"
import { mayDo, personMayDo } from "@coffer/rules/people/mayDo"
import { lacking } from "@coffer/rules/people/rights"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { makeStillMay } from "../operators/stillMay.ts"

/** The person has lost the right to make it. */
export class MakerLeft extends Schema.TaggedError<MakerLeft>()("MakerLeft", {}) {}

/** `email`: of a person of the merchant; null: it is an operator. */
export interface Maker extends Asker {
  readonly email: string | null
}

export const operatorWhoAsks = Effect.map(CurrentOperator, (asker): Maker => ({ ...asker, email: null }))

/** Of a person of the merchant, `may` says whether a role is enough for the change; of an operator, the act does. */
export type Changer =
  | { readonly asker: Asker; readonly may: (role: PersonRole) => boolean }
  | { readonly asker: Asker; readonly operatorsAct: OperatorActName }

interface Gift {
  readonly merchant_id: string
  readonly mode: Mode
  readonly scopes: ReadonlyArray<string>
}

/** The check for acts that reveal a secret, for people of the merchant and for operators. */
const acts = {
  "api_keys.create": "api_keys.create",
  "api_keys.update": "api_keys.update",
  "api_keys.roll": "api_keys.roll",
  "main_keys.reset": "merchants.resetKey"
} as const satisfies Partial<Record<ConsoleActName, OperatorActName>>

const isRole = Schema.is(Role)
const isPersonRole = Schema.is(PersonRole)

export const makeStillGives = (sql: SqlClient.SqlClient) => {
  const stillMay = makeStillMay(sql)
  return Effect.fnUntraced(function* (act: keyof typeof acts, by: Maker, { merchant_id, mode, scopes }: Gift) {
    const gift = { is: "key", mode, scopes } as const
    const may =
      by.email === null
        ? yield* stillMay(by, installation, (role) => isRole(role) && mayDo(role, acts[act]))
        : yield* stillMay(
            by,
            merchant_id,
            (role) => isPersonRole(role) && personMayDo(role, act) && lacking({ is: "person", role }, gift).length === 0
          )
    if (!may) return yield* new MakerLeft()
  })
}

/**
 * The same for what is changed. Where that is not locked while it is looked at, as with webhook
 * settings, `makeEndChanges` sees to it that a change which has begun is decided again.
 */
export const makeStillChanges = (sql: SqlClient.SqlClient) => {
  const stillMay = makeStillMay(sql)
  return Effect.fnUntraced(function* (merchantId: string, changer: Changer) {
    const may = yield* "may" in changer
      ? stillMay(changer.asker, merchantId, (role) => isPersonRole(role) && changer.may(role))
      : stillMay(changer.asker, installation, (role) => isRole(role) && mayDo(role, changer.operatorsAct))
    if (!may) return yield* new MakerLeft()
  })
}

/** Runs before the person's right is revoked, in the same transaction: both sides take this lock first. */
export const makeEndChanges = (sql: SqlClient.SqlClient) => (personId: string) =>
  Effect.asVoid(sql`with held as (select id from webhook_settings
      where merchant_id in (select belongs_to from memberships where person_id = ${personId}) order by id for update)
    update webhook_settings w set version = version + 1 from held where w.id = held.id`)
