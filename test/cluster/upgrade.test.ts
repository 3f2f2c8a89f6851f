/**
 * Two versions of the program on one database, while money moves through all runners: this one and the
 * one before. Those whose messages have the same number work side by side, in both orders of an upgrade. Others refuse
 * each other, and all runners of one stop before the first of the other starts (docs/operating-runners.md). The ways
 * back, and the version before, are part of the soak.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { inject } from "vitest"
import { canTalk } from "@coffer/cluster/ThisRunner"
import { shapes } from "../../src/platform/cluster/messages.ts"
import { buildVersion } from "../../src/platform/runtime/Vitals.ts"
import { commandRun } from "../kit/program/commandRun.ts"
import { newHome } from "../kit/Process.ts"
import { isSoak } from "../kit/run/soak.ts"
import { eachOwnsAPart, newOrders, newWallets, ownerOf } from "../kit/runners/threeRunners.ts"
import { perform } from "../kit/runners/TwoRunners.ts"
import { newestMigration, refusal, type Runner, type Upgrading, upgrading } from "../kit/program/upgrades.ts"
import { commitBefore, hasPackagesOf, ofCommit, type Program, thisAs } from "../kit/program/versions.ts"

const newest = Effect.sync((): Program => ({ main: inject("program"), version: buildVersion, shapes }))
/** This very program, whose runners report another version. */
const alike = thisAs("9.9.9", shapes)
/** No other version understands its messages. */
const foreign = thisAs("9.9.9", [99])

type Building = Effect.Effect<Program, never, Scope.Scope>

/** A command for an order of each runner is sent to the other one. */
const crossing = Effect.fnUntraced(function* ({ sql }: Upgrading, runners: readonly [Runner, Runner]) {
  const held = yield* eachOwnsAPart(sql, 2)
  const [one, other] = runners
  const orders = yield* newOrders(one.coffer, yield* newWallets(one.coffer), 24)
  for (const [owner, asked] of [[one, other] as const, [other, one] as const]) {
    const theirs = orders.filter(({ wallet }) => ownerOf(wallet, held) === owner.coffer.pid)
    assert.isAtLeast(theirs.length, 1)
    for (const order of theirs) assert.strictEqual((yield* perform(asked.coffer, "annotate", order)).status, 200)
  }
})

/** Both run, each is killed beside the other, and the first one leaves in the end. */
const sideBySide = (first: Building, second: Building) =>
  Effect.gen(function* () {
    const story = yield* upgrading
    const { begin, joined, left, moreWrites } = story
    const [before, after] = [yield* first, yield* second]
    let old = yield* joined(before)
    yield* begin
    let young = yield* joined(after)
    yield* moreWrites
    yield* crossing(story, [old, young])

    yield* left(young, "SIGKILL")
    yield* moreWrites
    young = yield* joined(after)
    yield* moreWrites
    yield* left(old, "SIGKILL")
    yield* moreWrites
    old = yield* joined(before)
    yield* moreWrites
    yield* left(old, "SIGTERM")
    assert.deepStrictEqual(yield* old.coffer.ended, { code: 0, signal: null })
    yield* moreWrites
    yield* story.end
    for (const { coffer } of [old, young]) assert.notMatch(coffer.said.stderr, /cannot talk|does not understand/)
  })

/** A version that cannot talk to the running ones is refused, and changes nothing. Then all stop, and it starts. */
const oneAfterTheOther = (first: Building, second: Building, migratesEarly = true) =>
  Effect.gen(function* () {
    const story = yield* upgrading
    const { begin, joined, left, moreWrites } = story
    const [before, after] = [yield* first, yield* second]
    const [one, other] = [yield* joined(before), yield* joined(before)]
    yield* begin
    const migrated = yield* newestMigration(story)
    const line = yield* refusal(story, after)
    const shown = (program: Program) => `(version ${program.version}) `
    assert.include(line, `${shown(before)}understands messages of shape ${before.shapes.join(", ")}, and this one`)
    assert.include(line, `${shown(after)}of shape ${after.shapes.join(", ")}: they cannot talk to each other.`)
    assert.strictEqual(yield* newestMigration(story), migrated, "the refused one has migrated the database")

    // So an older runner that dies meanwhile comes back.
    yield* left(one, "SIGKILL")
    yield* moreWrites
    const again = yield* joined(before)
    yield* moreWrites

    if (migratesEarly) {
      // The running ones continue with the tables of the newer one.
      const env = { ...story.urls, COFFER_HOME: yield* newHome }
      const done = yield* commandRun(["migrate", "--beside-runners"], env, after.main)
      assert.strictEqual(done.code, 0, done.stderr)
      yield* moreWrites
    }

    yield* left(other, "SIGTERM")
    yield* left(again, "SIGKILL")
    const young = yield* joined(after)
    yield* moreWrites
    assert.isDefined(yield* refusal(story, before))
    yield* moreWrites
    yield* left(young, "SIGKILL")
    yield* joined(after)
    yield* moreWrites
    yield* story.end
  })

describe("runners of two versions whose messages have one number", () => {
  it.live("work side by side while the newer one joins, and lose no money when either is killed", () =>
    sideBySide(alike, newest)
  )

  it.live.skipIf(!isSoak)(
    "work side by side while the older one joins again, and lose no money when either is killed",
    () => sideBySide(newest, alike)
  )
})

describe("runners of two versions whose messages have different numbers", () => {
  it.live("refuse each other in one line, and lose no money when all of one stop before the other starts", () =>
    oneAfterTheOther(foreign, newest)
  )

  it.live.skipIf(!isSoak)("do so on the way back, too", () => oneAfterTheOther(newest, foreign))
})

describe("coffer migrate", () => {
  it.live("refuses beside runners that cannot talk to this version, and does it with --beside-runners", () =>
    Effect.gen(function* () {
      const story = yield* upgrading
      yield* story.joined(yield* foreign)
      const refused = yield* commandRun(["migrate"], story.urls)
      assert.strictEqual(refused.code, 1, refused.stderr)
      assert.match(
        refused.stderr,
        /version 9\.9\.9\).*cannot talk to each other\. Stop the runners of one version first\./
      )
      const done = yield* commandRun(["migrate", "--beside-runners"], story.urls)
      assert.strictEqual(done.code, 0, done.stderr)
    })
  )

  it.live("keeps working alongside runners that talk to it", () =>
    Effect.gen(function* () {
      const story = yield* upgrading
      yield* story.joined(yield* alike)
      const { code, stderr } = yield* commandRun(["migrate"], story.urls)
      assert.strictEqual(code, 0, stderr)
    })
  )
})

const why = !isSoak
  ? "left out: it is part of npm run test:soak"
  : commitBefore === undefined
    ? "left out: this clone has neither a tag of a release nor the commit that stands for it"
    : hasPackagesOf(commitBefore)
      ? undefined
      : "left out: it needs other packages than those that are installed"
const title = "the version before this one, built from the history,"

describe.skipIf(why !== undefined)(why === undefined ? title : `${title} (${why})`, () => {
  it.live("works beside this one, or refuses it and is stopped first; either way no money is lost", () =>
    Effect.gen(function* () {
      const before = yield* ofCommit(commitBefore!)
      const built = Effect.succeed(before)
      // Where they cannot talk, columns may have other names as well.
      yield* canTalk(before.shapes, shapes) ? sideBySide(built, newest) : oneAfterTheOther(built, newest, false)
    })
  )
})
