/** docs/crash-table.md, as text. */
import type { Row, Table } from "./crashes.ts"

const intro = `# What a crash leaves behind

A runner is killed at each write of a workflow: just before Postgres begins with the write, and just after Postgres has
done it and before the runner knows. Another runner takes its place a second later. The tables say what is there twenty
seconds after it is ready, and which answer the caller gets who then sends the request again. Where a buyer has acted,
the caller reads the order instead. \`npm run simulate -- --crashes docs/crash-table.md\` plays all of it and writes
this page ([simulation.md](simulation.md)); a test compares what three of them leave.

**In each row the end is the same as without a crash** (where the order is only read: all of it or nothing), the books
agree, and nothing is there twice. A refund that was interrupted may be booked in two rows, frozen and then debited,
where one is enough otherwise. A write is one statement or transaction of Postgres. Writes that only speed up or
describe (logs, leases, counters) are left out.
`

const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`

const rowOf = ({ answer, recovered, side, tables }: Row) => `| ${tables} | ${side} | ${recovered} | ${answer} |`

const sectionOf = ({ answer, end, name, rows }: Table) => `## ${sentence(name)}

Without a crash: ${end}. The answer is ${answer}.

| Write | Killed | There after recovery | Answer when sent again |
|---|---|---|---|
${rows.map(rowOf).join("\n")}
`

export const pageOf = (tables: ReadonlyArray<Table>) => [intro, ...tables.map(sectionOf)].join("\n")
