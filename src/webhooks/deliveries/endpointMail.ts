/** The mails about an endpoint that fails, in English: to the merchant's developers. Pure. */
import { isoText } from "@coffer/model/isoText"
import type { Message } from "../../shared/mail/Mailer.ts"
import { plainMail } from "../../shared/mail/plainMail.ts"
import type { Merchant } from "../../access/merchants/Merchants.ts"
import { hostOf } from "@coffer/rules/delivery/route"
import type { Endpoint } from "@coffer/rules/webhooks/Settings"
import { failuresOfOutage } from "@coffer/rules/webhooks/health"
import { DateTime } from "effect"
import type { HealthRow } from "./EndpointHealth.ts"

export type About = "outage" | "well" | "disabled"

export const endpointMail = (
  about: About,
  row: HealthRow,
  { endpoint, merchant, to }: { readonly endpoint: Endpoint; readonly merchant: Merchant; readonly to: string }
): Message => {
  const which = `Your ${row.mode} endpoint ${endpoint.id} at ${hostOf(new URL(endpoint.url).host)}`
  const { lines, of, subject } = parts(about, row, which)
  return plainMail({
    // The same at every attempt, so that mail programs show it once.
    id: `${about}_${endpoint.id}_${DateTime.toEpochMillis(of)}`,
    to,
    subject: `${subject}: ${merchant.name}`,
    paragraphs: lines
  })
}

interface Parts {
  readonly subject: string
  readonly lines: ReadonlyArray<string>
  /** The moment that tells this mail from others about the endpoint. */
  readonly of: DateTime.Utc
}

const parts = (about: About, row: HealthRow, which: string): Parts => {
  const last = [
    `The last one failed at ${isoText(row.last_failed_at)}: ${row.reason}.`,
    ...(row.answer === null || row.answer === "" ? [] : [`The endpoint answered: ${row.answer}`])
  ]
  switch (about) {
    case "outage":
      return {
        subject: "Webhooks do not arrive",
        of: row.fifth_at ?? row.failing_since,
        lines: [
          `${which} has not taken ${failuresOfOutage} events within a day at the first attempt.`,
          ...last,
          "Each event is tried again by the usual schedule.",
          "A delivery that has failed for good can be sent again by hand.",
          "You are told when the endpoint works again. Until then no other mail follows about this outage."
        ]
      }
    case "well":
      return {
        subject: "Webhooks arrive again",
        of: row.told_at ?? row.failing_since,
        lines: [
          `${which} has taken everything since ${isoText(row.well_since ?? row.last_failed_at)}.`,
          "A delivery that had failed for good before is not sent by itself. Send it again by hand if you need it."
        ]
      }
    case "disabled":
      return {
        subject: "An endpoint was disabled",
        of: row.failing_since,
        lines: [
          `${which} has taken nothing since ${isoText(row.failing_since)}. It is disabled, as you have asked for.`,
          ...last,
          "Nothing is delivered to it any more, until you enable it again by the API."
        ]
      }
  }
}
