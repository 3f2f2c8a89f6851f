/**
 * `/.well-known/security.txt` (RFC 9116): the contact for vulnerabilities of this installation. The operator sets it by
 * `SECURITY_CONTACT`; without it the file does not exist.
 */
import { isoText } from "@coffer/model/isoText"
import { Config, DateTime, Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { BadSetting } from "../../platform/runtime/places.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { roomSettings } from "../../platform/runtime/roomSettings.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { securityTextPath } from "../edge/routes.ts"
import { noSuchRoute } from "../edge/Unanswered.ts"

const contactsMax = 5

export const securityContacts = roomSettings<ReadonlyArray<string>>({
  secrets: [],
  read: Effect.fnUntraced(function* () {
    const text = yield* Config.option(Config.NonEmptyString("SECURITY_CONTACT"))
    const contacts = Option.match(text, {
      onNone: () => [],
      onSome: (named) => named.split(",").map((each) => each.trim())
    })
    const isContact = (each: string) => /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+?[\d-]+)$/.test(each)
    if (contacts.length > contactsMax || !contacts.every(isContact)) {
      return yield* new BadSetting({
        message:
          `SECURITY_CONTACT: up to ${contactsMax}, comma-separated, each mailto:, https: or tel:, ` +
          "such as mailto:security@pay.example."
      })
    }
    return contacts
  })
})

/** The expiry of the file: RFC 9116 wants less than a year. */
const validDays = 180

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const settings = yield* Settings
    const contacts = settings.of(securityContacts)
    const answer = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (contacts.length === 0) return yield* noSuchRoute(request)
      const expires = DateTime.startOf(DateTime.add(yield* currentTime, { days: validDays }), "day")
      const lines = [
        ...contacts.map((each) => `Contact: ${each}`),
        `Expires: ${isoText(expires)}`,
        "Preferred-Languages: en, zh",
        `Canonical: ${settings.publicUrl}${securityTextPath}`
      ]
      return HttpServerResponse.text(`${lines.join("\n")}\n`, {
        contentType: "text/plain; charset=utf-8",
        headers: { "cache-control": "public, max-age=86400", "x-content-type-options": "nosniff" }
      })
    })
    yield* router.add("GET", securityTextPath, answer)
  })
)
