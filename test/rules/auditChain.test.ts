/** The audit log's chain as the console verifies it, by hashes that it computes itself. */
import { assert, describe, it } from "@effect/vitest"
import { auditEntrySample, type AuditEntryResource } from "@coffer/contract/Operators"
import { Effect } from "effect"
import { firstBreak, hashOf } from "../../packages/console/src/operator/auditChain.ts"

/** Three entries, newest first, whose hashes hold. */
const chain = async (): Promise<ReadonlyArray<AuditEntryResource>> => {
  const made: Array<AuditEntryResource> = []
  for (const sequence of [1, 2, 3]) {
    const entry = {
      ...auditEntrySample,
      id: `aud_${sequence}`,
      sequence,
      details: { request: { note: "Bücher" } },
      previous_hash: made[0]?.hash ?? "",
      hash: ""
    }
    made.unshift({ ...entry, hash: await hashOf(entry) })
  }
  return made
}

describe("the chain of the audit log in the console", () => {
  it.effect("holds where each entry is what its hash was made of and names the one before it", () =>
    Effect.gen(function* () {
      const entries = yield* Effect.promise(chain)
      assert.isUndefined(yield* Effect.promise(() => firstBreak(entries, undefined)))
      assert.isUndefined(yield* Effect.promise(() => firstBreak(entries.slice(1), entries[0])))
    })
  )

  it.effect("breaks at an entry that was changed, whichever field it was", () =>
    Effect.gen(function* () {
      const [third, second, first] = yield* Effect.promise(chain)
      for (const change of [
        { actor: "Eve" },
        { ip: null },
        { status: 403 },
        { details: { request: { note: "Bucher" } } },
        { created_at: "2026-11-21T09:29:40.118Z" }
      ]) {
        const changed = { ...second!, ...change }
        const found = yield* Effect.promise(() => firstBreak([third!, changed, first!], undefined))
        assert.deepStrictEqual(found, { entry: changed, kind: "hash" })
      }
    })
  )

  it.effect("breaks where an entry was removed, also between two pages, and where the first one was cut off", () =>
    Effect.gen(function* () {
      const [third, second, first] = yield* Effect.promise(chain)
      assert.deepStrictEqual(yield* Effect.promise(() => firstBreak([third!, first!], undefined)), {
        entry: third,
        kind: "link"
      })
      assert.deepStrictEqual(yield* Effect.promise(() => firstBreak([first!], third)), { entry: third, kind: "link" })
      const grown = { ...second!, sequence: 1 }
      const resealed = { ...grown, hash: yield* Effect.promise(() => hashOf(grown)) }
      assert.deepStrictEqual(yield* Effect.promise(() => firstBreak([resealed], undefined)), {
        entry: resealed,
        kind: "link"
      })
    })
  )
})
