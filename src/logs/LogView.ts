/** An API log as merchants see it (spec: API log). Pure. */
import type { LogResource } from "@coffer/contract/Logs"
import { DateTime } from "effect"
import type { LogRow } from "./Logs.ts"

export const logView = ({ created_at, ...row }: LogRow): LogResource => ({
  object: "api_log",
  ...row,
  created_at: DateTime.formatIso(created_at)
})
