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

/** Who may not call, and what is no valid call, is refused before the object is looked at. */
const refusesBlindly = (status: number) => [400, 401, 403, 404, 429].includes(status)

export const note = (marks: Marks, name: string, { error, reason, replayed, status }: Answer, before: string) => {
  // Nor does a stored answer look at it.
  const isBlind = refusesBlindly(status) || replayed === true
  const answer = [status, error ?? "", reason ?? "", replayed === true ? "replayed" : ""]
  const signature = [name, ...answer, isBlind ? "" : before].join(" ")
  marks.signatures.set(signature, (marks.signatures.get(signature) ?? 0) + 1)
  if (status < 400) marks.succeeded.add(name)
  if (error !== undefined) marks.codes.add(error)
}

/** One of several calls at once: the others are its state, whatever was answered to them. */
export const markTogether = (
  { signatures }: Marks,
  names: ReadonlyArray<string>,
  name: string,
  { error = "", status }: { readonly status: number; readonly error?: string | undefined }
) => {
  const signature = `${name} ${status} ${error} among ${refusesBlindly(status) ? "others" : names.toSorted().join()}`
  signatures.set(signature, (signatures.get(signature) ?? 0) + 1)
}

/** The state of the object in one or two words: each word multiplies the signatures. */
export const stateBefore = (account: Account, { body, path }: Call): string => {
  const inPath = decodeURIComponent(/^\/v1\/(?:test_helpers\/)?[a-z_]+\/([^/?]+)/.exec(path)?.[1] ?? "")
  const ref = inPath === "" ? String((body as Record<string, unknown> | undefined)?.["trade_no"] ?? "") : inPath
  const order = named(account.orders, ref)
  if (order !== undefined) {
    const disputed = account.disputes.some((dispute) => dispute.order === order && isOpen(dispute)) ? "disputed" : ""
    const unreported = order.taken.some(({ known }) => !known) ? "unreported" : ""
    return [statusOf(order), unreported, disputed, order.erased ? "erased" : ""].join(" ")
  }
  return disputeNamed(account, ref)?.state ?? named(account.refunds, ref)?.state ?? ""
}
