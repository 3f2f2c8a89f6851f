/** A delivery as a row of a table. */
import type { WebhookDelivery } from "../../sdk/src/index.ts"
import { type Column, time } from "./output.ts"

const lastAnswerOf = ({ attempts }: WebhookDelivery): string => {
  const last = attempts.at(-1)
  return last === undefined ? "-" : String(last.status_code ?? last.failure)
}

export const deliveryColumns: ReadonlyArray<Column<WebhookDelivery>> = [
  { title: "ID", of: ({ id }) => id },
  { title: "STATUS", of: ({ status }) => status, isStatus: true },
  { title: "TRIES", of: ({ attempts }) => String(attempts.length) },
  { title: "LAST", of: lastAnswerOf },
  { title: "NEXT", of: ({ next_attempt_at }) => time(next_attempt_at) },
  { title: "TYPE", of: ({ event_type }) => event_type },
  { title: "URL", of: ({ url }) => url }
]
