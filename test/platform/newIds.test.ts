/** Numbers of new objects (src/platform/runtime/NewIds.ts). */
import { bodyOf, firstIdBody, MerchantId, millisOfId, prefixes } from "@coffer/model/Ids"
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
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

it.effect("numbers of each clock of a process are later than the one that lists have shown", () =>
  Effect.gen(function* () {
    const ids = yield* NewIds.NewIds
    const clock = Clock.Clock.defaultValue()
    // A command of another runner has this clock.
    const asked = Effect.provideService(ids.body, Clock.Clock, Clock.Clock.defaultValue())
    const own = Effect.provideService(ids.body, Clock.Clock, clock)
    yield* asked
    yield* own
    const shown = firstIdBody(clock.currentTimeMillisUnsafe() + 20_000)
    ids.pass({ merchantId: MerchantId.make(`mer_${"0".repeat(26)}`), mode: "live" }, shown)
    assert.isTrue((yield* asked) > shown)
    assert.isTrue((yield* own) > shown)
  }).pipe(Effect.provide(NewIds.layer))
)
