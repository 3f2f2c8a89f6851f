/** The bank's own books, deliveries and visits against the service's: what no row of the service alone could show. */
import type { Client } from "../gate/Client.ts"

const laws: ReadonlyArray<{ readonly query: string; readonly broken: string }> = [
  {
    // The only payments that the bank never reports are those of lapsing orders, which it is asked about at the end.
    query: `select p.payment_id, o.trade_no, o.status, fates.count from sandbox_payments p
        join orders o using (trade_no),
        lateral (select (coalesce(o.payment_id, '') = p.payment_id)::int + (select count(*)
          from jsonb_array_elements(o.unapplied_payments) u where u ->> 'paymentId' = p.payment_id) as count) as fates
      where p.state = 'succeeded' and fates.count <> 1
        and not (o.status = 'pending' and o.subject like 'Lapsing %' and fates.count = 0)`,
    broken: "the bank's payment, its order, the order's status, and how often the order has the payment:"
  },
  {
    query: `select s.refund_key, s.state, coalesce(r.status, 'not there') from sandbox_refunds s
        left join refunds r on r.refund_no = s.refund_key
      where s.refund_key not like 'return/%' and (s.state = 'failed') is distinct from (r.status = 'failed')
        or s.refund_key not like 'return/%' and (s.state = 'succeeded') is distinct from (r.status = 'succeeded')`,
    broken: "a refund, its state at the bank, and its state here:"
  },
  {
    query: `select r.refund_no, r.status, r.amount from refunds r
      where r.mode = 'sandbox' and r.status = 'succeeded'
        and not exists (select from sandbox_refunds s where s.refund_key = r.refund_no)`,
    broken: "a refund that the bank does not have:"
  },
  {
    query: `select p.payment_id, p.state, o.status, p.amount, coalesce(o.hold ->> 'captured', 'nothing')
      from sandbox_payments p join orders o using (trade_no)
      where o.hold -> 'payment' ->> 'paymentId' = p.payment_id and case p.state
        when 'succeeded' then p.amount::text is distinct from o.hold ->> 'captured'
        when 'authorized' then o.status <> 'pending' or o.hold ? 'request'
        else o.status <> 'expired' or o.hold ->> 'released' is null end`,
    broken: "the bank's hold, its state there, the order's status, the bank's amount, and what was captured:"
  },
  {
    query: `select d.id, d.attempts, count(a.attempt), max(a.attempt) from deliveries d
        left join delivery_attempts a on a.delivery_id = d.id
      group by d.id having d.attempts <> count(a.attempt) or coalesce(max(a.attempt), 0) <> count(a.attempt)`,
    broken: "a delivery, its number of attempts, those that are there, and the number of the last:"
  },
  {
    query: `select amount, currency, count(*) from payouts where reference is null group by 1, 2 having count(*) > 1`,
    broken: "the amount of a payout that was requested once, its currency, and how many there are:"
  }
]

/** No visit makes two orders. */
export const unaskedOrders = async (control: Client, calls: ReadonlyMap<string, number>) => {
  const rows = await control.query("select link_id, used_count from payment_links")
  return rows.flatMap(([linkId, used]) => {
    const visits = [...calls].reduce((sum, [path, times]) => sum + (path.endsWith(`/${linkId}`) ? times : 0), 0)
    return Number(used) <= visits ? [] : [`link ${linkId} was used ${used} times in ${visits} visits`]
  })
}

export const brokenAtTheBank = async (control: Client): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const { broken, query } of laws) {
    for (const row of await control.query(query)) found.push(`${broken} ${row.join(", ")}`)
  }
  return found
}
