/**
 * Source transformations at load time: Effect's hashes of objects, which would depend on earlier work of the process,
 * and faults that a test plants without changing the code.
 */
import { type Change, changeSources, faultsNamed } from "../../../oracle/src/driver/changeSources.ts"

/**
 * Effect gives an object a random hash and stores it. Here it is the next number of a sequence that restarts with each
 * world.
 */
const hashes: ReadonlyArray<Change> = [
  { file: "/effect/dist/Hash.js", from: "Math.random()", to: "globalThis.nextHash()" },
  {
    file: "/effect/dist/Hash.js",
    from: "const randomHashCache = /*#__PURE__*/new WeakMap();\nconst hashCache = /*#__PURE__*/new WeakMap();",
    to: `let randomHashCache = new WeakMap();
let hashCache = new WeakMap();
globalThis.forgetHashes = () => {
  randomHashCache = new WeakMap();
  hashCache = new WeakMap();
};`
  }
]

declare global {
  var nextHash: () => number
  var forgetHashes: () => void
}

export const beginHashes = () => {
  let state = 0x12345678
  globalThis.nextHash = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  globalThis.forgetHashes?.()
}

/** Each is a plausible bug in a line of the service, which a campaign has to find. */
export const plantedFaults: Readonly<Record<string, Change>> = {
  "a lost batch counts as written": {
    file: "/src/platform/commit/writeBatch.ts",
    from: '{ _tag: "NotNow", reason: "unknown" } as const',
    to: "written"
  },
  "the reply comes before the commit": {
    file: "/src/platform/commit/writeBatch.ts",
    from: "for (const set of left) set.writing = true",
    to: `for (const set of left) {
        set.writing = true
        if (left.length === 1 && set.changes.some((change) => change.op === "update")) sets.succeed(set)
      }`
  },
  "no version is compared": {
    file: "/src/platform/commit/statements.ts",
    from: " and t.${columns[versionIndex]!.name} = n.replaces",
    to: ""
  },
  "an answer is not committed with its change": {
    file: "/src/money/aggregate/WriteLoop.ts",
    from: "const kept = decision.refusal === undefined ? answer : undefined",
    to: "const kept = undefined as typeof answer"
  }
}

export const rewriteSources = (planted: ReadonlyArray<string>) => {
  beginHashes()
  changeSources([...hashes, ...faultsNamed(plantedFaults, planted)])
}
