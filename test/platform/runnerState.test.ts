/** Which processes on a database are alive (docs/decisions/0026). */
import { assert, it } from "@effect/vitest"
import { silentMillisMax, stateOf } from "@coffer/cluster/RunnerVitals"

const soon = silentMillisMax
const late = silentMillisMax + 1

for (const [isLocked, silentMillis, state] of [
  [true, 0, "alive"],
  [true, soon, "alive"],
  [true, late, "silent"],
  [false, 0, "gone"],
  [false, late, "gone"],
  // The embedded database: there is no lock.
  [undefined, soon, "alive"],
  [undefined, late, "gone"]
] as const) {
  it(`a process that ${lock(isLocked)} and told something ${silentMillis} ms ago is ${state}`, () => {
    assert.strictEqual(stateOf({ isLocked, silentMillis }), state)
  })
}

function lock(isLocked: boolean | undefined) {
  if (isLocked === undefined) return "needs no lock"
  return isLocked ? "has its lock" : "has lost its lock"
}
