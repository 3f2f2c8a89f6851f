/** Invariants at the end of every world: each acknowledged change exists once, and the auditor's laws hold. */
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../../../src/platform/postgres/Postgres.ts"
import { make as makeAuditor } from "../../../../src/shared/audit/Auditor.ts"
import type { Client } from "../gate/Client.ts"
import type { Done, Outcome } from "./Story.ts"

export const brokenLaws = async (url: string, control: Client, { broken, done, refused }: Outcome) => {
  const found = [...broken]
  for (const each of done) {
    const problem = await problemOf(control, each)
    if (problem !== undefined) found.push(`${each.key || each.act} of ${each.tradeNo} was acknowledged: ${problem}`)
  }
  for (const key of refused) {
    const count = await control.value(`select count(*) from refunds where out_refund_no = '${key}'`)
    if (count !== "0") found.push(`${key} was refused and is there`)
  }
  found.push(...(await doubles(control)), ...(await audited(url)))
  return found
}

const problemOf = async (control: Client, { act, detail, tradeNo }: Done): Promise<string | undefined> => {
  const [row] = await control.query(
    `select status, metadata::text, (select count(*) from refunds where refund_no = '${detail ?? ""}')
      from orders where trade_no = '${tradeNo}'`
  )
  if (row === undefined) return "there is no such order"
  const [status, metadata, refunds] = row
  switch (act) {
    case "create":
      return undefined
    case "pay":
      return /^(paid|partially_refunded|refunded)$/.test(status!) ? undefined : `it is ${status}`
    case "note":
      return metadata?.includes(`"${detail}"`) === true ? undefined : `its metadata is ${metadata}`
    case "name":
      return metadata?.includes(`"name": "${detail}"`) === true ? undefined : `its metadata is ${metadata}`
    case "refund":
      return refunds === "1" ? undefined : `${detail} is there ${refunds} times`
    case "expire":
      return status === "expired" ? undefined : `it is ${status}`
  }
}

const doubles = async (control: Client): Promise<ReadonlyArray<string>> => {
  const orders = await control.query(
    "select subject, count(*) from orders where mode = 'sandbox' group by subject having count(*) > 1"
  )
  const entries = await control.query(
    `select reference_id, type, count(*) from ledger where type in ('payment_credit', 'refund_debit')
      group by 1, 2 having count(*) > 1`
  )
  return [
    ...orders.map(([subject, count]) => `${count} orders have the key of ${subject}`),
    ...entries.map(([reference, type, count]) => `${type} of ${reference} is booked ${count} times`)
  ]
}

const audited = (url: string): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const found: Array<string> = []
      const auditor = makeAuditor(yield* SqlClient.SqlClient)
      yield* auditor.all({
        violation: (violation) => Effect.sync(() => void found.push(`the auditor: ${JSON.stringify(violation)}`)),
        progress: () => Effect.void
      })
      return found
    }).pipe(
      Effect.provide(Postgres.layer({ url: Redacted.make(url), connections: 2, name: "laws", watched: false })),
      Effect.scoped
    )
  )
