/** docs/crash-table.md, as text. */
import type { Row, Table } from "./crashes.ts"

const intro = `# What a crash leaves behind

A runner is killed at each write of a workflow: just before Postgres begins with the write, and just after Postgres has
committed it and before the runner knows. Another runner takes its place a second later. The tables say what is there
twenty seconds after it is ready, and what a retry of the request then answers; after a buyer's action, what a read of
the order answers. \`npm run simulate -- --crashes docs/crash-table.md\` plays all of it and writes this page
([simulation.md](simulation.md)); a test compares three of the tables.

**In each row the end is the same as without a crash** (without a retry: all of it or nothing), the books agree, and
nothing is done twice. An interrupted refund may be booked in two rows, frozen and then debited, instead of one. A write
is one statement or transaction of Postgres. Writes that only speed up or describe (logs, leases) are left out.
\`replayed\` is an answer stored under the Idempotency-Key.
`

const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`

/** A write has two rows, one for each side; one is enough where both leave the same. */
const merged = (rows: ReadonlyArray<Row>) =>
  rows.flatMap((row, place) => {
    const isSame = (other: Row | undefined) => other?.recovered === row.recovered && other.answer === row.answer
    if (row.side === "after") return isSame(rows[place - 1]) ? [] : [row]
    return [isSame(rows[place + 1]) ? { ...row, side: "before or after" } : row]
  })

const sectionOf = ({ answer, end, name, rows }: Table) => `## ${sentence(name)}

Without a crash: ${end}. The answer is ${answer}.

| Write | Killed | There after recovery | Answer to a retry |
|---|---|---|---|
${merged(rows)
  .map(
    ({ answer, recovered, side, tables }) =>
      `| ${tables} | ${side} | ${recovered === end ? "everything" : recovered} | ${answer} |`
  )
  .join("\n")}
`

export const pageOf = (tables: ReadonlyArray<Table>) => [intro, ...tables.map(sectionOf)].join("\n")
