/** A delivery as a row of a table. */
import { deliveries } from "@coffer/resources/webhooks"
import type { WebhookDelivery } from "../../sdk/src/index.ts"
import { columnsOf } from "./declared.ts"
import type { Column } from "./output.ts"

const lastAnswerOf = ({ attempts }: WebhookDelivery): string => {
  const last = attempts.at(-1)
  return last === undefined ? "-" : String(last.status_code ?? last.failure)
}

export const deliveryColumns: ReadonlyArray<Column<WebhookDelivery>> = columnsOf<WebhookDelivery>(deliveries).toSpliced(
  2,
  0,
  { title: "TRIES", of: ({ attempts }) => String(attempts.length) },
  { title: "LAST", of: lastAnswerOf }
)
