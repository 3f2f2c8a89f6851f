/** What the cluster's page calls the workers. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { workerText } from "../../packages/console/src/operator/workerWords.ts"
import { said as done } from "../kit/Merchant.ts"
import { start } from "../kit/Service.ts"

it.live("each worker and each kind of objects has a name for people on the cluster's page, in both languages", () =>
  Effect.gen(function* () {
    const { api } = yield* start()
    const { backlogs, runners } = yield* done(api.operator("GET", "/cluster"))
    const names: ReadonlyArray<string> = [
      ...backlogs.map(({ worker }: { readonly worker: string }) => worker),
      ...runners.flatMap(({ commands }: { readonly commands: ReadonlyArray<{ readonly kind: string }> }) =>
        commands.map(({ kind }) => kind)
      )
    ]
    assert.isAbove(names.length, 5)
    for (const language of ["en", "zh"] as const) {
      assert.deepStrictEqual(
        names.filter((name) => workerText(name, language) === name),
        []
      )
    }
  })
)
