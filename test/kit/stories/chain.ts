/** The ledger's chain as the command line verifies it, for lists that a test has in memory. */
import { createHash } from "node:crypto"
import { type Broken, type Link, makeVerifier, type Movement } from "@coffer/rules/wallet/chain"

export type { Link, Movement }

/** All of it, newest first, as both lists are read. `kept`: hashes by id that were seen before. */
export const brokenIn = (
  links: ReadonlyArray<Link>,
  movements: ReadonlyArray<Movement>,
  kept: ReadonlyMap<string, string> = new Map()
): Broken | undefined => {
  const byId = new Map(movements.map((movement) => [movement.id, movement]))
  const verifier = makeVerifier({ hashes: Object.fromEntries(kept), unmet: new Set() }, ({ text }) =>
    createHash("sha256").update(text, "utf8").digest("hex")
  )
  for (const link of links) verifier.add(link, byId.get(link.id) ?? "missing")
  return verifier.end()
}
