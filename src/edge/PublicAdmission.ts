/**
 * What anybody may ask for without a key: pages, files, the reference. It is counted as work of the client's address,
 * and is refused if there is too much of it (silences: U12).
 */
import { Effect } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { Admission } from "../http/Admission.ts"
import { CurrentRecord } from "../http/CurrentRequest.ts"
import { kindOf } from "./Quotas.ts"
import { busy } from "../http/replies.ts"

type Route<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** The route, or `shed` when there is no room for it. */
export const make = Effect.map(
  Admission,
  (admission) =>
    <E, R, ShedE, ShedR>(route: Route<E, R>, shed: Route<ShedE, ShedR>): Route<E | ShedE, R | ShedR> =>
      Effect.flatMap(CurrentRecord, (record): Route<E | ShedE, R | ShedR> => {
        record.visit = admission.enter("public", record.ip, kindOf(record), record.behind)
        return record.visit === undefined ? shed : route
      })
)

/** In front of all routes of the layers that it is provided to. The refusal is the envelope's. */
export const { layer } = HttpRouter.middleware(
  Effect.map(make, (through) => (route) => through(route, Effect.catch(busy, Effect.die)))
)
