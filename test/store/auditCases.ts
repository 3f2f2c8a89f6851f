/**
 * Changes by an attacker inside the database, and which laws the auditor then finds broken in which rows.
 * `$rich` and `$poor` are the merchants of the busy day, `$pendingRefund` one of its refunds.
 */

export interface Case {
  /** The attacker's act. */
  readonly name: string
  /** Statements; `returning` of the last names the rows that are then wrong, one column `key`. */
  readonly statements: ReadonlyArray<string>
  readonly hashed?: true
  /** Law and table of each violation, and whether it is that row: `=`, or another that depends on it: `+`. */
  readonly found: ReadonlyArray<readonly [law: string, table: string, which: "=" | "+"]>
}

export const usd = `(select wallet_id from wallets where merchant_id = '$rich' and currency = 'USD')`
const hkd = `(select wallet_id from wallets where merchant_id = '$rich' and currency = 'HKD')`
const poorUsd = `(select wallet_id from wallets where merchant_id = '$poor' and currency = 'USD')`
const one = (from: string, key: string) => `(select ${key} from ${from} order by ${key} limit 1)`
const plainEvent = `events e where not exists (select from deliveries d where d.event_id = e.id)`

export const cases: ReadonlyArray<Case> = [
  {
    name: "lowers a wallet below zero for a payout that nobody promised before the dispute",
    statements: [
      `update payouts set created_at = created_at + interval '1 hour' where merchant_id = '$poor'`,
      `select id as key from ledger where wallet_id = ${poorUsd} and type = 'payout_fee'`
    ],
    found: [["I1", "ledger", "="]]
  },
  {
    name: "gives a row an id below the one before it",
    statements: [
      `update ledger set id = 'LED_00000000000000000000000001' where wallet_id = ${usd}
        and sequence = (select max(sequence) from ledger where wallet_id = ${usd}) returning id as key`
    ],
    hashed: true,
    // The wallet's newest row is found by its id.
    found: [
      ["I2", "ledger", "="],
      ["I2", "wallets", "+"],
      ["I4", "wallets", "+"]
    ]
  },
  {
    name: "counts a row that is not there",
    statements: [`update wallets set sequence = sequence + 1 where wallet_id = ${usd} returning wallet_id as key`],
    found: [["I2", "wallets", "="]]
  },
  {
    name: "points at another row than the newest",
    statements: [
      `update wallets set head_id = (select id from ledger where wallet_id = ${usd} and sequence = 1)
        where wallet_id = ${usd} returning wallet_id as key`
    ],
    found: [["I2", "wallets", "="]]
  },
  {
    name: "moves what is available by what the type does not",
    statements: [
      `update ledger set amount = amount + 1 where id = (select l.id from ledger l where l.wallet_id = ${hkd}
        and l.type = 'dispute_freeze' order by l.sequence limit 1) returning id as key`
    ],
    hashed: true,
    found: [
      ["I3", "ledger", "="],
      ["I4", "disputes", "+"],
      ["I4", "ledger", "="]
    ]
  },
  {
    name: "adds to what is available",
    statements: [`update wallets set available = available + 5 where wallet_id = ${usd} returning wallet_id as key`],
    found: [
      ["I3", "wallets", "="],
      ["I5", "wallets", "="]
    ]
  },
  {
    name: "moves what is frozen by what the type does not",
    statements: [
      `update ledger set frozen_after = frozen_after + 5 where wallet_id = ${usd}
        and sequence = (select max(sequence) - 1 from ledger where wallet_id = ${usd})`,
      `select id as key from ledger where wallet_id = ${usd}
        and sequence >= (select max(sequence) - 1 from ledger where wallet_id = ${usd})`
    ],
    hashed: true,
    found: [
      ["I4", "ledger", "="],
      ["I4", "ledger", "="]
    ]
  },
  {
    name: "promises more than is open",
    statements: [`update wallets set reserved = reserved + 1 where wallet_id = ${usd} returning wallet_id as key`],
    found: [["I4", "wallets", "="]]
  },
  {
    name: "calls a refund settled and leaves its money frozen",
    statements: [`update refunds set status = 'void' where refund_no = '$pendingRefund' returning refund_no as key`],
    found: [
      ["I4", "refunds", "="],
      ["I4", "wallets", "+"],
      ["I6", "orders", "+"]
    ]
  },
  {
    name: "gives the amount of an open dispute back without a word",
    statements: [`update disputes set status = 'closed' where status = 'needs_response' returning dispute_no as key`],
    found: [
      ["I4", "disputes", "="],
      ["I4", "disputes", "="],
      ["I4", "wallets", "+"],
      ["I4", "wallets", "+"],
      ["I6", "orders", "+"],
      ["I6", "orders", "+"],
      ["I7", "disputes", "="],
      ["I7", "disputes", "="]
    ]
  },
  {
    name: "pays a rejected payout after all",
    statements: [`update payouts set status = 'succeeded' where status = 'rejected' returning payout_no as key`],
    found: [["I4", "payouts", "="]]
  },
  {
    name: "pays more out than the rows say",
    statements: [
      `update wallets set total_payout = total_payout + 1 where wallet_id = ${usd} returning wallet_id as key`
    ],
    found: [["I5", "wallets", "="]]
  },
  {
    name: "has an order forget its dispute",
    statements: [
      `update orders set disputes_open = 0 where merchant_id = '$rich' and disputes_open = 1 returning trade_no as key`
    ],
    found: [["I6", "orders", "="]]
  },
  {
    name: "has an order forget what was refunded",
    statements: [
      `update orders set refunded_amount = 0, status = 'paid' where status = 'refunded' returning trade_no as key`
    ],
    found: [["I6", "orders", "="]]
  },
  {
    name: "calls a refunded order paid",
    statements: [`update orders set status = 'paid' where status = 'refunded' returning trade_no as key`],
    found: [["I6", "orders", "="]]
  },
  {
    name: "records a payment twice",
    statements: [
      `insert into events select 'evt_00000000000000000000000001', e.merchant_id, e.mode, e.type, e.object_id, e.trade_no, e.body,
        e.created_at from ${plainEvent} and e.type = 'payment.succeeded' order by e.id limit 1 returning object_id as key`
    ],
    found: [["I7", "orders", "="]]
  },
  {
    name: "keeps the end of a refund to itself",
    statements: [
      `delete from events where id = (select e.id from ${plainEvent} and e.type = 'refund.succeeded' order by e.id
        limit 1) returning object_id as key`
    ],
    found: [["I7", "refunds", "="]]
  },
  {
    name: "tells of a dispute that was lost as if it never were",
    statements: [
      `delete from events where id = (select e.id from ${plainEvent} and e.type = 'dispute.lost' order by e.id
        limit 1) returning object_id as key`
    ],
    found: [["I7", "disputes", "="]]
  },
  {
    name: "does not send an event to the address of its order",
    statements: [
      `delete from delivery_attempts`,
      `delete from deliveries where id = ${one("deliveries", "id")} returning event_id as key`
    ],
    found: [["I7", "events", "="]]
  },
  {
    name: "credits a payment to the ledger and takes no fee",
    statements: [
      `update ledger set reference_id = (select trade_no from orders where paid_at is null limit 1)
        where id = (select id from ledger where wallet_id = ${usd} and type = 'fee_debit' order by sequence limit 1)`,
      `select trade_no as key from orders where paid_at is null and merchant_id = '$rich'
        and exists (select from ledger where reference_id = trade_no)`
    ],
    hashed: true,
    found: [
      ["I7", "orders", "="],
      ["I7", "orders", "+"]
    ]
  },
  {
    name: "takes a fee because of somebody else's order",
    statements: [
      `update ledger set reference_id = (select trade_no from orders where merchant_id = '$poor' limit 1)
        where id = (select id from ledger where wallet_id = ${usd} and type = 'fee_debit' order by sequence limit 1)
        returning id as key`
    ],
    hashed: true,
    found: [
      ["I7", "orders", "+"],
      ["I8", "ledger", "="]
    ]
  },
  {
    name: "gives a wallet to another merchant",
    statements: [`update wallets set currency = 'CNY' where wallet_id = ${hkd} returning wallet_id as key`],
    found: [
      ["I4", "wallets", "="],
      ["I8", "wallets", "="]
    ]
  },
  {
    name: "gives a refund another currency than its order's",
    statements: [
      `update refunds set currency = 'CNY' where status = 'succeeded' and refund_no = (select max(refund_no) from refunds
        where status = 'succeeded') returning refund_no as key`
    ],
    found: [
      ["I8", "ledger", "+"],
      ["I8", "ledger", "+"],
      ["I8", "refunds", "="]
    ]
  },
  {
    name: "gives a dispute another environment than its order's",
    statements: [`update disputes set mode = 'live' where status = 'closed' returning dispute_no as key`],
    found: [
      ["I4", "disputes", "="],
      ["I6", "orders", "+"],
      ["I7", "disputes", "="],
      ["I8", "disputes", "="],
      ["I8", "events", "+"],
      ["I8", "events", "+"],
      ["I8", "ledger", "+"],
      ["I8", "ledger", "+"]
    ]
  },
  {
    name: "delivers an event for somebody else",
    statements: [
      `update deliveries set merchant_id = '$poor' where id = ${one("deliveries", "id")} returning event_id as key`
    ],
    found: [["I8", "events", "="]]
  },
  {
    name: "changes the words of a row",
    statements: [
      `update ledger set description = description || '.' where wallet_id = ${usd} and sequence = 5 returning id as key`
    ],
    found: [["I9", "ledger", "="]]
  },
  {
    name: "changes the time of a row by a millisecond",
    statements: [
      `update ledger set created_at = created_at + interval '1 ms' where wallet_id = ${usd} and sequence = 5
        returning id as key`
    ],
    found: [["I9", "ledger", "="]]
  },
  {
    name: "changes a row and hashes it anew, and not those after it",
    statements: [
      `update ledger l set description = 'x', hash = sha256(convert_to(concat_ws(chr(10), l.wallet_id,
          encode(l.previous_hash, 'hex'), l.id, l.sequence, l.type, l.amount, l.balance_before, l.balance_after, l.frozen_after,
          l.reference_id, 'x', to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
          'UTF8')) where wallet_id = ${usd} and sequence = 5`,
      `select id as key from ledger where wallet_id = ${usd} and sequence = 6`
    ],
    found: [["I9", "ledger", "="]]
  },
  {
    name: "takes a row out",
    statements: [
      `delete from ledger where wallet_id = ${usd} and sequence = 5`,
      `select id as key from ledger where wallet_id = ${usd} and sequence = 6`
    ],
    found: [
      ["I2", "ledger", "="],
      ["I3", "wallets", "+"],
      ["I4", "refunds", "+"],
      ["I5", "wallets", "+"]
    ]
  }
]
