/**
 * Front door to the audit log: who did what. An act of an operator has two entries. The first is committed before the
 * act begins, so no act is missing in the log; if the second is missing, the process ended meanwhile.
 */
import type { MerchantAuditQuery } from "@coffer/contract/ConsoleMerchant"
import type { AuditLogQuery } from "@coffer/contract/Operators"
import { createdAtOf, prefixes } from "@coffer/model/Ids"
import { InvalidField } from "@coffer/rules/InvalidField"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { readCreated } from "@coffer/rules/lists/created"
import { withoutAnyAddress } from "@coffer/rules/erasure"
import { redact, redactText } from "@coffer/rules/redaction"
import { Context, type DateTime, Effect, Layer } from "effect"
import { CurrentRecord } from "../../shared/http/CurrentRequest.ts"
import { isMerchant, isObject } from "../../platform/postgres/auditTargets.ts"
import type { Exported } from "../../platform/postgres/Pages.ts"
import { storableJson, storableText } from "../../platform/postgres/storable.ts"
import { onUnmovedClock } from "../../platform/runtime/MerchantClocks.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import * as AuditLogStore from "./AuditLogStore.ts"
import type { AuditRow } from "./auditRow.ts"
import { makeRepeatedEntries } from "./repeatedEntries.ts"

export interface Entry {
  /** Undefined before authentication. */
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
    /** The entry is written when this returns. Address and id come from the current request. */
    readonly write: (entry: Entry) => Effect.Effect<void>
    /** The same for acts that could be repeated without limit: once an hour. The others of the hour are counted. */
    readonly writeOnce: (entry: Entry) => Effect.Effect<void>
    /** Writes the counts of past hours. */
    readonly writeCounts: (now: DateTime.Utc) => Effect.Effect<void>
    /** Newest first. */
    readonly page: (query: AuditLogQuery) => Effect.Effect<Page<AuditRow>, InvalidField>
    /** Entries about this merchant, newest first. */
    readonly pageOf: (merchantId: string, query: MerchantAuditQuery) => Effect.Effect<Page<AuditRow>, InvalidField>
    readonly exported: (query: AuditLogQuery) => Effect.Effect<Exported<AuditRow>, InvalidField>
  }
>()("@coffer/operators/AuditLog") {}

/** An address may have 16 kB, and the log is kept for ever. */
const targetLengthMax = 512
const shorten = (target: string) => (target.length <= targetLengthMax ? target : `${target.slice(0, targetLengthMax)}…`)

/** Nothing leads from a buyer to a path that names no object, so an erasure could not find an address in it. */
const withoutAddresses = (target: string) => target.split("/").map(withoutAnyAddress).join("/")

/** IPv4 or IPv6. */
const isAddress = /^[\da-f]*[.:][\da-f.:]*$/i

/** A number of ours, a path, or an address: entries of wrong keys are about the address that sent them. */
const checkTarget = ({ target }: AuditLogQuery) =>
  target === undefined || isMerchant(target) || isObject(target) || target.includes("/") || isAddress.test(target)
    ? Effect.void
    : new InvalidField({ param: "target", problem: "is not an object ID or the path of an action" })

export const layer = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const store = yield* AuditLogStore.AuditLogStore
    const ids = yield* NewIds
    // A merchant may have moved the clock of the request. The operator's log keeps its own time.
    const write = Effect.fnUntraced(function* (entry: Entry) {
      const { act, actor, details = {}, phase, status = null, target } = entry
      const { ip, requestId } = yield* CurrentRecord
      const id = yield* ids.next(prefixes.auditEntry)
      yield* store.insert({
        id,
        actor_id: actor?.id ?? "",
        actor: actor?.name ?? "",
        role: actor?.role ?? "",
        ip: ip === "" ? null : ip,
        request_id: requestId,
        act,
        phase,
        target: storableText(withoutAddresses(redactText(shorten(target)))),
        status,
        details: storableJson(redact(details)),
        created_at: createdAtOf(id)
      })
    }, onUnmovedClock)
    const { closeBefore, writeOnce } = yield* makeRepeatedEntries(write)

    return AuditLog.of({
      write,
      writeOnce,
      writeCounts: (now) => closeBefore(now.epochMilliseconds),
      page: Effect.fnUntraced(function* (query) {
        yield* checkTarget(query)
        return yield* store.page(yield* Effect.fromResult(readPageRequest(query)), query)
      }),
      pageOf: Effect.fnUntraced(function* (merchantId, query) {
        return yield* store.pageOf(merchantId, yield* Effect.fromResult(readPageRequest(query)), query.act)
      }),
      exported: Effect.fnUntraced(function* (query) {
        yield* checkTarget(query)
        return yield* store.exported(yield* Effect.fromResult(readCreated(query)), query)
      })
    })
  })
).pipe(Layer.provide(AuditLogStore.layer))
