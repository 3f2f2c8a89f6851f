/** How many runners the console says are up. */
import { assert, it } from "@effect/vitest"
import { nameOfRunner, runnersUp } from "../../packages/console/src/operator/runners.ts"

const runner = (name: string, state: "alive" | "silent" | "gone", from: number, heard: number) => ({
  instance_id: name,
  address: null,
  state,
  started_at: `2026-11-29T0${from}:00:00.000Z`,
  last_heartbeat_at: `2026-11-29T0${heard}:00:00.000Z`
})

it("a runner that is gone or silent is missing until another one starts in its place", () => {
  const [one, two] = [runner("one", "alive", 1, 6), runner("two", "alive", 1, 6)]
  const gone = runner("three", "gone", 1, 3)
  for (const [runners, up, all, down] of [
    [[one, two], 2, 2, []],
    [[one, two, gone], 2, 3, ["three"]],
    [[one, two, gone, runner("four", "alive", 4, 6)], 3, 3, []],
    [[one, runner("two", "silent", 1, 5), gone, runner("four", "alive", 4, 6)], 2, 3, ["two"]],
    // One start replaces one runner.
    [[one, gone, runner("two", "gone", 1, 3), runner("four", "alive", 4, 6)], 2, 3, ["two"]],
    // A start before the end replaces none.
    [[one, runner("three", "gone", 1, 5), runner("four", "alive", 4, 6)], 2, 3, ["three"]]
  ] as const) {
    const found = runnersUp(runners)
    assert.deepStrictEqual([found.up, found.all, found.down.map(nameOfRunner)], [up, all, [...down]])
  }
})
