/**
 * Whether a wallet's chain of hashes holds, by the rules of docs/ledger.md, "Verify it yourself". Rows are read newest
 * first, as the API lists them, and none is kept: the oldest invalid row is found last. Pure: the command line and the
 * merchant's browser verify by the same rules, each with its own SHA-256.
 */

export interface Link {
  readonly id: string
  readonly sequence: number
  readonly previous_hash: string
  readonly hash: string
  readonly text: string
}

/** A row as the ledger shows it. */
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

export type Rule = 1 | 2 | 3 | 4 | 5 | 6

/** A row, and the number of the rule in docs/ledger.md that it breaks. */
export interface Broken {
  readonly id: string
  readonly rule: Rule
}

export const meaningOf: Readonly<Record<Rule, string>> = {
  1: "its hash does not match its text: the row was changed",
  2: "the previous row is missing, or rows were reordered",
  3: "it was not written after the row that now precedes it",
  4: "its text describes a different row",
  5: "its text does not match the ledger",
  6: "its hash differs from the kept one: the chain was rewritten"
}

export interface Verifier {
  /** Checks the next older row. `movement`: the ledger's row; undefined if only the chain is available. */
  readonly add: (link: Link, movement?: Movement | "missing") => void
  /** After the oldest row: the oldest invalid row. */
  readonly end: () => Broken | undefined
}

/** Hashes by id that were kept earlier, and those of them not seen yet. */
export interface Kept {
  readonly hashes: Readonly<Record<string, string>>
  readonly unmet: Set<string>
}

/** `digestOf`: SHA-256 of the link's text, as UTF-8, in hex. */
export const makeVerifier = ({ hashes, unmet }: Kept, digestOf: (link: Link) => string): Verifier => {
  let newer: { readonly link: Link; readonly movement: Movement | "missing" | undefined } | undefined
  let wallet: string | undefined
  let broken: Broken | undefined
  const judge = (before: Pick<Link, "hash" | "sequence">) => {
    if (newer === undefined) return
    const { link, movement } = newer
    wallet ??= walletOf(link)
    const rule = ruleBrokenBy(link, digestOf(link), before, wallet, movement, hashes[link.id])
    if (rule !== undefined) broken = { id: link.id, rule }
  }
  return {
    add: (link, movement) => {
      judge(link)
      unmet.delete(link.id)
      newer = { link, movement }
    },
    end: () => {
      judge({ sequence: 0, hash: "" })
      return broken
    }
  }
}

/** `merchant/mode/currency`. */
export const walletOf = ({ text }: Link): string => text.split("\n", 1)[0]!

const ruleBrokenBy = (
  { hash, id, previous_hash, sequence, text }: Link,
  digest: string,
  before: Pick<Link, "hash" | "sequence">,
  walletOfChain: string,
  movement: Movement | "missing" | undefined,
  kept: string | undefined
): Rule | undefined => {
  if (digest !== hash) return 1
  if (sequence !== before.sequence + 1) return 2
  if (previous_hash !== before.hash) return 3
  const lines = text.split("\n")
  const wallet =
    typeof movement === "object" ? `${movement.merchant_id}/${movement.mode}/${movement.currency}` : walletOfChain
  if (lines.length !== 12 || lines.slice(0, 4).join("\n") !== [wallet, previous_hash, id, sequence].join("\n")) return 4
  if (movement !== undefined && !isTold(lines, movement)) return 5
  return kept === undefined || kept === hash ? undefined : 6
}

const isTold = (lines: ReadonlyArray<string>, movement: Movement | "missing"): boolean => {
  if (movement === "missing") return false
  const { amount, balance_after, balance_before, created_at, description, reference_id, type } = movement
  const expected = [type, amount, balance_before, balance_after, reference_id, description, created_at]
  return [...lines.slice(4, 8), ...lines.slice(9)].join("\n") === expected.join("\n")
}
