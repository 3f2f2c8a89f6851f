/** Invariants at the end of every world: each acknowledged change exists once, and the auditor's laws hold. */
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../../../src/platform/postgres/Postgres.ts"
import { make as makeAuditor } from "../../../../src/shared/audit/Auditor.ts"
import type { Client } from "../gate/Client.ts"
import { secretOf } from "./acts/erasures.ts"
import { brokenAtTheBank } from "./bankLaws.ts"
import type { Receiver } from "./Receiver.ts"
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
  found.push(...(await doubles(control)), ...(await brokenAtTheBank(control)), ...(await audited(url)))
  return found
}

const problemOf = async (control: Client, { act, detail, key, tradeNo }: Done): Promise<string | undefined> => {
  if (act === "link") return linkProblem(control, detail!)
  const [row] = await control.query(
    `select status, metadata::text, (select count(*) from refunds where refund_no = '${detail ?? ""}'),
        hold ->> 'captured', hold ->> 'released'
      from orders where trade_no = '${tradeNo}'`
  )
  if (row === undefined) return "there is no such order"
  const [status, metadata, refunds, captured, released] = row
  switch (act) {
    case "create":
      return undefined
    case "pay":
      if (!/^(paid|partially_refunded|refunded)$/.test(status!)) return `it is ${status}`
      return key === "form" ? paymentsProblem(control, tradeNo) : undefined
    case "note":
      return metadata?.includes(`"${detail}"`) === true ? undefined : `its metadata is ${metadata}`
    case "name":
      return metadata?.includes(`"name": "${detail}"`) === true ? undefined : `its metadata is ${metadata}`
    case "refund":
      return refunds === "1" ? undefined : `${detail} is there ${refunds} times`
    case "expire":
      return status === "expired" ? undefined : `it is ${status}`
    case "capture":
      return captured === detail ? undefined : `it is ${status}, and ${captured} was captured`
    case "cancel":
      return status === "expired" && released === "canceled" ? undefined : `it is ${status}, and was ${released}`
    case "dispute":
      return disputeProblem(control, detail!, key)
    case "payout":
      return payoutProblem(control, detail!, key)
    case "erase":
      return erasureProblem(control, detail!, tradeNo, key)
  }
}

/** A form that came again is the same attempt. */
const paymentsProblem = async (control: Client, tradeNo: string) => {
  const count = await control.value(
    `select count(*) from sandbox_payments where trade_no = '${tradeNo}' and state = 'succeeded'`
  )
  return count === "1" ? undefined : `its buyer has paid ${count} times`
}

const statusOf = (control: Client, table: string, column: string, no: string) =>
  control.value(`select status from ${table} where ${column} = '${no}'`)

/** `end` is a status, or the key of its acceptance, after which it waits for the bank's word. */
const disputeProblem = async (control: Client, no: string, end: string) => {
  const [row] = await control.query(`select status, response is not null from disputes where dispute_no = '${no}'`)
  const [status, isAnswered] = row ?? ["not there"]
  const isRight = end.startsWith("accept") ? status === "lost" || isAnswered === "t" : status === end
  return isRight ? undefined : `dispute ${no} is ${status}`
}

const payoutProblem = async (control: Client, no: string, end: string) => {
  const status = await statusOf(control, "payouts", "payout_no", no)
  return status === end ? undefined : `payout ${no} is ${status}`
}

/** It is under way, or none of the words are left. */
const erasureProblem = async (control: Client, no: string, tradeNo: string, buyer: string) => {
  const status = await statusOf(control, "erasures", "erasure_no", no)
  if (status === "running") return undefined
  if (status !== "done") return `erasure ${no} is ${status}`
  const words = `%${secretOf(buyer)}%`
  const left = await control.value(
    `select (select count(*) from orders where trade_no = '${tradeNo}' and metadata::text like '${words}')
      + (select count(*) from events where trade_no = '${tradeNo}' and body like '${words}')
      + (select count(*) from idempotency_keys k where k::text like '${words}')`
  )
  return left === "0" ? undefined : `erasure ${no} is done, and ${left} rows still have the buyer's words`
}

/** Each use made an order, and there are no more than allowed. */
const linkProblem = async (control: Client, no: string) => {
  const [row] = await control.query(
    `select max_uses, used_count, (select count(*) from orders where metadata ->> 'svc_payment_link' = '${no}')
      from payment_links where link_id = '${no}'`
  )
  if (row === undefined) return "there is no such link"
  const [most, used, orders] = row.map(Number)
  return used === orders && used! <= most!
    ? undefined
    : `it was used ${used} times of ${most}, and has ${orders} orders`
}

/** Each event has a delivery that has succeeded, and the receiver has it. */
export const lostEvents = async (control: Client, { taken }: Receiver): Promise<ReadonlyArray<string>> => {
  const rows = await control.query(
    `select e.id, e.type, d.status from events e left join deliveries d on d.event_id = e.id where e.mode = 'sandbox'`
  )
  return rows.flatMap(([id, type, status]) =>
    status === "succeeded" && taken.has(id!)
      ? []
      : [`the receiver has not got ${type} ${id}: its delivery is ${status}`]
  )
}

const doubles = async (control: Client): Promise<ReadonlyArray<string>> => {
  const orders = await control.query(
    "select subject, count(*) from orders where subject like 'Order %' group by subject having count(*) > 1"
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
