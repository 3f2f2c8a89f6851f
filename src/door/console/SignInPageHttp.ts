/** The route of the console's sign-in page, a static page. */
import { Effect, type Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as PublicAdmission from "../edge/PublicAdmission.ts"
import { CurrentRecord, type RequestRecord } from "../../shared/http/CurrentRequest.ts"
import { busy } from "../../shared/http/replies.ts"
import type { Admission } from "../../shared/http/Admission.ts"
import { languageOf } from "../../shared/pages/language.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { makeConsoleUrl } from "../../access/people/cookies.ts"
import { passkeyOrigin, signInSettings } from "../../access/people/signInSettings.ts"
import { placeElsewhere } from "./otherName.ts"
import { respondSignIn } from "./SignInPage.ts"

/** Checks by type that all requirements and errors are covered: an error left out does not compile. */
type Routes = Layer.Layer<never, never, HttpRouter.HttpRouter | Admission | Settings>

export const layer: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const through = yield* PublicAdmission.make
    const settings = yield* Settings
    const { noOutbound, publicUrl } = settings
    const { openId } = settings.of(signInSettings)
    const urlOf = makeConsoleUrl(settings)
    const waysAt = (record: RequestRecord) => ({
      passkeys: passkeyOrigin(publicUrl, urlOf(record)) !== undefined,
      origin: new URL(urlOf(record)).origin,
      openId: noOutbound ? undefined : openId?.issuer.host
    })

    const request = Effect.all([HttpServerRequest.HttpServerRequest, CurrentRecord])
    const page = Effect.map(request, ([{ headers, url }, record]) => {
      const target = placeElsewhere(urlOf(record), headers["host"], url)
      if (target !== undefined) return HttpServerResponse.redirect(target)
      const query = url.indexOf("?")
      const chosen = query < 0 ? null : new URLSearchParams(url.slice(query)).get("lang")
      return respondSignIn(waysAt(record), languageOf({ accepted: headers["accept-language"], chosen, locale: null }))
    })
    yield* router.add("GET", "/console/sign-in", through(page, Effect.catch(busy, Effect.die)))
  })
)
