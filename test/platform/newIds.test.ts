/** Numbers of new objects (src/platform/runtime/NewIds.ts). */
import { bodyOf, millisOfId, prefixes } from "@coffer/model/Ids"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as NewIds from "../../src/platform/runtime/NewIds.ts"

it.effect("a number that is made at the beginning of 1970 is one, also where this machine's clock is ahead", () =>
  Effect.gen(function* () {
    const ids = yield* NewIds.NewIds
    ids.correct(12)
    const id = yield* ids.next(prefixes.request)
    assert.match(bodyOf(id), /^[0-9A-HJKMNP-TV-Z]{26}$/)
    assert.strictEqual(millisOfId(id), 0)
  }).pipe(Effect.provide(NewIds.layer))
)
