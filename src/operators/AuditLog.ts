/**
 * Front door to the audit log: who did what. An act of an operator has two entries. The first is committed before the
 * act begins, so nothing is done that is not in the log; where the second is missing, the process ended meanwhile.
 */
import type { AuditLogQuery } from "@coffer/contract/Operators"
import { prefixes } from "@coffer/model/Ids"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { readCreated } from "@coffer/rules/lists/created"
import { redact, redactText } from "@coffer/rules/redaction"
import { Context, Effect, Layer } from "effect"
import { CurrentRecord } from "../http/CurrentRequest.ts"
import type { Exported } from "../platform/postgres/Pages.ts"
import { storableJson, storableText } from "../platform/postgres/storable.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import * as AuditLogStore from "./AuditLogStore.ts"
import type { AuditRow } from "./auditRow.ts"

export interface Entry {
  /** Undefined while nobody is known. */
  readonly actor?: { readonly id: string; readonly name: string; readonly role: string } | undefined
  readonly act: string
  readonly phase: AuditRow["phase"]
  readonly target: string
  readonly status?: number
  /** Redacted here. */
  readonly details?: object
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Written when this returns. Address and number come from the request that is being answered. */
    readonly write: (entry: Entry) => Effect.Effect<void>
    /** Newest first. */
    readonly page: (query: AuditLogQuery) => Effect.Effect<Page<AuditRow>, InvalidField>
    readonly exported: (query: AuditLogQuery) => Effect.Effect<Exported<AuditRow>, InvalidField>
  }
>()("@coffer/operators/AuditLog") {}

export const layer = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const store = yield* AuditLogStore.AuditLogStore
    const ids = yield* NewIds
    return AuditLog.of({
      write: Effect.fnUntraced(function* ({ act, actor, details = {}, phase, status = null, target }) {
        const { ip, requestId } = yield* CurrentRecord
        yield* store.insert({
          id: yield* ids.next(prefixes.auditEntry),
          actor_id: actor?.id ?? "",
          actor: actor?.name ?? "",
          role: actor?.role ?? "",
          ip: ip === "" ? null : ip,
          request_id: requestId,
          act,
          phase,
          target: storableText(redactText(target)),
          status,
          details: storableJson(redact(details)),
          created_at: yield* currentTime
        })
      }),
      page: (query) =>
        Effect.flatMap(Effect.fromResult(readPageRequest(query)), (request) => store.page(request, query)),
      exported: (query) =>
        Effect.flatMap(Effect.fromResult(readCreated(query)), (created) => store.exported(created, query))
    })
  })
).pipe(Layer.provide(AuditLogStore.layer))
