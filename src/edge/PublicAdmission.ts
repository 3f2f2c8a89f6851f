/**
 * Calls without a key: pages, files, the reference. Each call is counted as work of the client's address, and is
 * refused if there is too much of it (silences: U12).
 */
import { Effect } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { Admission } from "../http/Admission.ts"
import { addressParty } from "../http/addressParty.ts"
import { CurrentRecord } from "../http/CurrentRequest.ts"
import { inTime } from "../platform/runtime/Deadline.ts"
import { kindOf } from "./Quotas.ts"
import { busy } from "../http/replies.ts"

type Route<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** The route, or `shed` when there is no room for it. */
export const make = Effect.map(
  Admission,
  (admission) =>
    <E, R, ShedE, ShedR>(route: Route<E, R>, shed: Route<ShedE, ShedR>): Route<E | ShedE, R | ShedR> =>
      Effect.flatMap(CurrentRecord, (record): Route<E | ShedE, R | ShedR> => {
        const { behind, ip } = record
        record.visit = admission.enter({ group: "public", party: addressParty(ip), kind: kindOf(record), behind })
        return record.visit === undefined ? shed : route
      })
)

/** The same of a page, and `late` when it has waited for too long: by default the page that is shown without room. */
export const makePage = Effect.map(
  make,
  (through) =>
    <E, R, ShedE, ShedR>(
      page: Route<E, R>,
      shed: Route<ShedE, ShedR>,
      late: Route<ShedE, ShedR> = shed
    ): Route<E | ShedE, R | ShedR> =>
      through(
        inTime<HttpServerResponse.HttpServerResponse, E | ShedE, R | ShedR>(page, () => late),
        shed
      )
)

/** In front of all routes of the layers that it is provided to. The refusal is the envelope's. */
export const { layer } = HttpRouter.middleware(
  Effect.map(make, (through) => (route) => through(route, Effect.catch(busy, Effect.die)))
)
