/**
 * Verifies the hash chain of a wallet in this browser: reads it page by page, newest first, in parallel to the ledger's
 * list, and hashes each row. A stopped verification can be resumed. The newest row of a successful one is kept in this
 * browser, and must exist with the same hash the next time (docs/ledger.md, rule 6).
 */
import type { BalanceTransactionResource, LedgerLinkResource } from "@coffer/contract/Balance"
import * as Effect from "effect/Effect"
import { type Broken, type Link, makeVerifier, type Movement } from "@coffer/rules/wallet/chain"
import type { AccountApi } from "../api/accountApi.ts"
import { ask, type Outcome, type Problem } from "../api/acts.ts"
import type { Page } from "../api/lists.ts"
import { type Patience, patiently } from "../api/patience.ts"

const pageSize = "100"

export interface Progress {
  readonly done: number
  /** Rows of the wallet: the number of its newest one. Undefined before the first page. */
  readonly total: number | undefined
}

export type Finding =
  | { readonly holds: true; readonly rows: number; readonly head: Pick<Link, "hash" | "id"> | undefined }
  | { readonly holds: false; readonly rows: number; readonly broken: Broken }
  /** The kept row of an earlier verification is missing from the chain. */
  | { readonly holds: false; readonly rows: number; readonly gone: string }

export interface Proof {
  /** Runs to the end, until it is stopped, or until a call fails; it may be called again to resume. */
  readonly run: (onProgress: (progress: Progress) => void, patience: Patience) => Promise<Finding | Problem | "stopped">
}

/** The two lists that a verification reads. */
export interface Reader {
  readonly links: (after: string | undefined) => Promise<Outcome<Page<LedgerLinkResource>>>
  readonly movements: (after: string | undefined) => Promise<Outcome<Page<BalanceTransactionResource>>>
}

export const readerOf = (api: AccountApi, currency: "USD" | "HKD" | "CNY"): Reader => {
  const from = (after: string | undefined) => (after === undefined ? {} : { starting_after: after })
  return {
    links: (after) =>
      ask(
        api,
        api.use((client) => client.balance.chain({ params: { currency }, query: { limit: pageSize, ...from(after) } }))
      ),
    movements: (after) =>
      ask(
        api,
        api.use((client) =>
          Effect.map(
            client.balance.transactions({ query: { currency, limit: pageSize, ...from(after) } }),
            (answer) => answer as Extract<typeof answer, Page<unknown>>
          )
        )
      )
  }
}

/** `kept`: the newest row of the last successful verification, if any. */
export const makeProof = (reader: Reader, kept: Pick<Link, "hash" | "id"> | undefined): Proof => {
  const digests = new WeakMap<Link, string>()
  const unmet = new Set(kept === undefined ? [] : [kept.id])
  const verifier = makeVerifier(
    { hashes: kept === undefined ? {} : { [kept.id]: kept.hash }, unmet },
    (link) => digests.get(link) ?? ""
  )
  const ledger = sideBySide(reader)
  let after: string | undefined
  let head: Link | undefined
  let done = 0

  const finish = (): Finding => {
    const broken = verifier.end()
    if (broken !== undefined) return { holds: false, rows: done, broken }
    const [gone] = unmet
    if (gone !== undefined) return { holds: false, rows: done, gone }
    return { holds: true, rows: done, head: head === undefined ? undefined : { id: head.id, hash: head.hash } }
  }

  return {
    run: async (onProgress, patience) => {
      for (;;) {
        if (patience.signal.aborted) return "stopped"
        const page = await patiently(() => reader.links(after), patience)
        if (patience.signal.aborted) return "stopped"
        if ("problem" in page) return page.problem
        const { data: links, has_more } = page.done.data
        // Both lists are read before any row is checked: if one fails, the page is read again as a whole.
        const movements: Array<Movement | "missing"> = []
        for (const link of links) {
          const movement = await ledger.movementOf(link, patience)
          if ("problem" in movement) return movement.problem
          movements.push(movement.done)
        }
        await Promise.all(links.map(async (link) => digests.set(link, await sha256(link.text))))
        links.forEach((link, index) => verifier.add(link, movements[index]!))
        head ??= links[0]
        ledger.forget(links)
        done += links.length
        after = links.at(-1)?.id ?? after
        onProgress({ done, total: head?.sequence })
        if (!has_more || links.length === 0) return finish()
      }
    }
  }
}

/** The movement of a link: both lists go from the newest to the oldest. Rows are kept until their page is checked. */
const sideBySide = ({ movements }: Reader) => {
  const met = new Map<string, Movement>()
  let after: string | undefined
  let isOver = false
  return {
    movementOf: async ({ id }: Link, patience: Patience): Promise<Outcome<Movement | "missing">> => {
      while (!isOver && !met.has(id) && (after === undefined || after > id)) {
        const page = await patiently(() => movements(after), patience)
        if ("problem" in page) return page
        const { data, has_more } = page.done.data
        for (const row of data) met.set(row.id, row)
        after = data.at(-1)?.id ?? after
        isOver = !has_more || data.length === 0
      }
      return { done: met.get(id) ?? "missing" }
    },
    forget: (links: ReadonlyArray<Link>) => {
      for (const { id } of links) met.delete(id)
    }
  }
}

export const sha256 = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
}
