/** An API log as merchants see it (spec: API log). Pure. */
import { isoText } from "@coffer/model/isoText"
import type { LogResource } from "@coffer/contract/Logs"
import type { LogRow } from "./Logs.ts"

export const logView = ({ created_at, ...row }: LogRow): LogResource => ({
  object: "api_log",
  ...row,
  created_at: isoText(created_at)
})
