/** The memory that the body of a request takes once the request is answered (docs/decisions/0210). */
import { assert, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as Admission from "../../../src/shared/http/Admission.ts"
import * as Body from "../../../src/shared/http/Body.ts"
import * as Clients from "../../../src/shared/http/Clients.ts"
import { oldBytesMax, oldBytesOf, someObject } from "../../kit/run/heap.ts"

it.live("a body that has been answered keeps nothing of its request", () =>
  Effect.gen(function* () {
    const bodyFrom = yield* Body.make
    const old = yield* Effect.promise(() =>
      oldBytesOf(() => {
        const request = someObject()
        return bodyFrom({
          sent: {},
          length: 10,
          limits: { bytes: 10, values: 10 },
          bytes: () => Effect.die(request)
        }).isTouched
      })
    )
    assert.isBelow(old, oldBytesMax)
  }).pipe(
    Effect.provideService(
      Admission.Admission,
      Admission.make(() => undefined)
    ),
    Effect.provideService(
      Clients.Clients,
      Clients.make(Duration.seconds(20), () => undefined)
    )
  )
)
