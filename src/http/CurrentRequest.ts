/** The id of the request that is being answered: on every response, in every log line (spec: General rules, 3). */
import { Context } from "effect"

export const CurrentRequestId = Context.Reference<string>("@coffer/http/CurrentRequestId", {
  defaultValue: () => "req_none"
})
