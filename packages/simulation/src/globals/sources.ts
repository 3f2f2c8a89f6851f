/**
 * Source transformations at load time: Effect's hashes of objects, which would depend on earlier work of the process,
 * and faults that a test plants without changing the code.
 */
import { type Change, changeSources, faultsNamed } from "../../../oracle/src/driver/changeSources.ts"
import { plantedFaults } from "./faults.ts"

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

export const rewriteSources = (planted: ReadonlyArray<string>) => {
  beginHashes()
  const faults = faultsNamed(plantedFaults, planted).flatMap(({ changes }) => changes)
  changeSources([...hashes, ...faults])
}
