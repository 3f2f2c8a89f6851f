/** What a run has seen: operations with their answers and the state before. */
import type { Call } from "../Oracle.ts"
import { disputeNamed } from "../disputes.ts"
import { type Account, named } from "../state.ts"
import type { Answer } from "../values.ts"
import { isOpen, statusOf } from "../views.ts"

export interface Marks {
  readonly signatures: Map<string, number>
  readonly succeeded: Set<string>
  readonly codes: Set<string>
}

export const noMarks = (): Marks => ({ signatures: new Map(), succeeded: new Set(), codes: new Set() })

export const note = (marks: Marks, name: string, { error, reason, replayed, status }: Answer, before: string) => {
  const signature = [name, status, error ?? "", reason ?? "", replayed === true ? "replayed" : "", before].join(" ")
  marks.signatures.set(signature, (marks.signatures.get(signature) ?? 0) + 1)
  if (status < 400) marks.succeeded.add(name)
  if (error !== undefined) marks.codes.add(error)
}

/** The state in one or two words: coarse, since each word multiplies the signatures. */
export const stateBefore = (account: Account, { body, path }: Call): string => {
  const inPath = decodeURIComponent(/^\/v1\/(?:test_helpers\/)?[a-z_]+\/([^/?]+)/.exec(path)?.[1] ?? "")
  const ref = inPath === "" ? String((body as Record<string, unknown> | undefined)?.["trade_no"] ?? "") : inPath
  const bank = account.reachable ? "" : "bank away"
  const order = named(account.orders, ref)
  if (order !== undefined) {
    const disputed = account.disputes.some((dispute) => dispute.order === order && isOpen(dispute)) ? "disputed" : ""
    const taken = order.taken.length === 0 ? "" : order.taken.some(({ known }) => !known) ? "unreported" : "taken"
    return [statusOf(order), taken, disputed, bank].join(" ")
  }
  const dispute = disputeNamed(account, ref)
  if (dispute !== undefined) return [dispute.state, dispute.word, bank].join(" ")
  return [named(account.refunds, ref)?.state ?? "", bank].join(" ")
}
