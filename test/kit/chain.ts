/** A verifier of the ledger's chain, as anybody can write one from docs/ledger.md: it knows nothing of the service. */
import { createHash } from "node:crypto"

export interface Link {
  readonly id: string
  readonly sequence: number
  readonly previous_hash: string
  readonly hash: string
  readonly text: string
}

/** What the ledger says of a row. */
export interface Movement {
  readonly id: string
  readonly merchant_id: string
  readonly mode: string
  readonly currency: string
  readonly type: string
  readonly amount: number
  readonly balance_before: number
  readonly balance_after: number
  readonly reference_id: string
  readonly description: string
  readonly created_at: string
}

/** The first row that breaks a rule, and the number of that rule in docs/ledger.md. */
export interface Broken {
  readonly id: string
  readonly rule: 1 | 2 | 3 | 4 | 5 | 6
}

/** All of it, newest first, as both lists are read. `kept`: hashes by id that were seen before. */
export const brokenIn = (
  links: ReadonlyArray<Link>,
  movements: ReadonlyArray<Movement>,
  kept: ReadonlyMap<string, string> = new Map()
): Broken | undefined => {
  const byId = new Map(movements.map((movement) => [movement.id, movement]))
  let before: Pick<Link, "hash" | "sequence"> = { sequence: 0, hash: "" }
  for (const link of links.toReversed()) {
    const rule = ruleBrokenBy(link, before, byId.get(link.id), kept.get(link.id))
    if (rule !== undefined) return { id: link.id, rule }
    before = link
  }
  return undefined
}

const ruleBrokenBy = (
  { hash, id, previous_hash, sequence, text }: Link,
  before: Pick<Link, "hash" | "sequence">,
  movement: Movement | undefined,
  kept: string | undefined
): Broken["rule"] | undefined => {
  if (createHash("sha256").update(text, "utf8").digest("hex") !== hash) return 1
  if (sequence !== before.sequence + 1) return 2
  if (previous_hash !== before.hash) return 3
  const lines = text.split("\n")
  const wallet = [movement?.merchant_id, movement?.mode, movement?.currency].join("/")
  if (lines.slice(0, 4).join("\n") !== [wallet, previous_hash, id, sequence].join("\n")) return 4
  const told = [movement?.type, movement?.amount, movement?.balance_before, movement?.balance_after]
  const others = [movement?.reference_id, movement?.description, movement?.created_at]
  if ([...lines.slice(4, 8), ...lines.slice(9)].join("\n") !== [...told, ...others].join("\n")) return 5
  return kept === undefined || kept === hash ? undefined : 6
}
