/**
 * The models of what guards the money (docs/models.md), each searched to its end by Spin: without an error while all
 * its guards are there, and with a counter-example when any one of them is taken away.
 */
import { execFile, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"

/** Each with the fewest states that it may have. A model that does little finds nothing. */
const models = [
  { name: "writes", statesMin: 500_000 },
  { name: "leases", statesMin: 100_000 },
  { name: "shards", statesMin: 1_000_000 },
  { name: "claim", statesMin: 500_000 }
]

const isThere = (program: string) => spawnSync(program, ["--version"]).error === undefined
const needsSpin = isThere("spin") && isThere("gcc") ? "" : " (left out: no spin or no gcc is installed)"

const fileOf = (name: string) => path.resolve(`models/${name}.pml`)
const textOf = (name: string) => readFileSync(fileOf(name), "utf8")
/** The guards that the head of a model lists. */
const switchesOf = (name: string) => [...textOf(name).matchAll(/^ \* {3}(NO_\w+) {2}/gm)].map(([, found]) => found!)

const run = promisify(execFile)
const outputMax = { maxBuffer: 64 * 1024 ** 2 }

/** What the search says. The search of a whole model is worth the time that the compiler takes to make it fast. */
const search = async (name: string, without?: string): Promise<string> => {
  const cwd = mkdtempSync(path.join(tmpdir(), "coffer-model-"))
  const defined = without === undefined ? [] : [`-D${without}`]
  try {
    await run("spin", [...defined, "-a", fileOf(name)], { cwd })
    const fast = without === undefined ? "-O1" : "-O0"
    await run("gcc", [fast, "-w", "-DSAFETY", "-DVECTORSZ=256", "-DMEMLIM=1800", "-o", "pan", "pan.c"], { cwd })
    return (await run(path.join(cwd, "pan"), ["-m20000", "-w22"], { cwd, ...outputMax })).stdout
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

/** The statements that no run came to, but for the ends of what goes on for ever and of a runner that has ended. */
const unreachedIn = (report: string): ReadonlyArray<string> =>
  report
    .split("\n")
    .filter((line) => /\.pml:\d+, state/.test(line) && !/"(-end-|\(\(\(r==0\)&&isDead\)\))"$/.test(line))

for (const { name, statesMin } of models) {
  describe.skipIf(needsSpin !== "").concurrent(`the model ${name}${needsSpin}`, () => {
    it("is searched to its end without an error, and each of its statements is reached", async () => {
      const report = await search(name)
      assert.match(report, /errors: 0\n/, report)
      assert.notMatch(report, /Search not completed|max search depth too small|out of memory/)
      const [, states] = / (\d+) states, stored/.exec(report)!
      assert.isAbove(Number(states), statesMin)
      assert.isEmpty(unreachedIn(report))
    })

    for (const guard of switchesOf(name)) {
      it(`fails with ${guard}`, async () => {
        assert.match(await search(name, guard), /errors: 1\n/)
      })
    }
  })
}

describe("a model", () => {
  it("has a switch for each guard that it lists, and lists each switch", () => {
    for (const { name } of models) {
      const used = new Set([...textOf(name).matchAll(/^#ifn?def (NO_\w+)/gm)].map(([, found]) => found!))
      assert.deepStrictEqual(switchesOf(name).toSorted(), [...used].toSorted(), name)
    }
  })

  it("stands for files that are there, and each of these names it", () => {
    for (const { name } of models) {
      const [head] = textOf(name).split("*/")
      const files = [...head!.matchAll(/\b((?:src|packages)\/[\w/]+\.ts)/g)].map(([, file]) => file!)
      assert.isNotEmpty(files, name)
      for (const file of files) {
        assert.isTrue(existsSync(file), file)
        assert.include(readFileSync(file, "utf8"), `models/${name}.pml`, file)
      }
    }
  })
})
