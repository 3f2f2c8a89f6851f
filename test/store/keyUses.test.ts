/** Notes of when keys were used: a write that fails loses none of them. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ApiKeyStore, type Use } from "../../src/access/keys/ApiKeyStore.ts"
import * as KeyUses from "../../src/access/keys/KeyUses.ts"

it.effect("a write that fails keeps its notes for the next one, and what was noted meanwhile stands", () =>
  Effect.gen(function* () {
    const written: Array<ReadonlyArray<Use>> = []
    let fails = true
    const store = Layer.mock(ApiKeyStore, {
      noteUses: (uses) => (fails ? Effect.die("no database") : Effect.sync(() => void written.push(uses)))
    })
    const uses = Context.get(yield* Layer.build(Layer.provide(KeyUses.layer, store)), KeyUses.KeyUses)
    const use = (keyId: string, at: number) => ({ keyId, at, ip: "192.0.2.1" })
    uses.note(use("key_1", 1))
    uses.note(use("key_2", 1))
    yield* uses.written
    uses.note(use("key_1", 2))
    fails = false
    yield* uses.written
    yield* uses.written
    assert.deepStrictEqual(written, [[use("key_1", 2), use("key_2", 1)]])
  }).pipe(Effect.scoped)
)
