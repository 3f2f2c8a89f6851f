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
    ...(row.answer === null || row.answer === "" ? [] : [`Response: ${row.answer}`])
  ]
  switch (about) {
    case "outage":
      return {
        subject: "Your webhook endpoint is failing",
        of: row.fifth_at ?? row.failing_since,
        lines: [
          `${which} failed ${failuresOfOutage} events within a day on the first attempt.`,
          ...last,
          "Each event is retried on the usual schedule.",
          "Deliveries whose attempts have all failed can be resent manually.",
          "We'll email you when the endpoint works again. Until then you won't get another email about this outage."
        ]
      }
    case "well":
      return {
        subject: "Your webhook endpoint works again",
        of: row.told_at ?? row.failing_since,
        lines: [
          `${which} has accepted every event since ${isoText(row.well_since ?? row.last_failed_at)}.`,
          "Deliveries whose attempts had all failed are not resent automatically. Resend them manually if you " +
            "need them."
        ]
      }
    case "disabled":
      return {
        subject: "A webhook endpoint was disabled",
        of: row.failing_since,
        lines: [
          `${which} has accepted no event since ${isoText(row.failing_since)}. It was disabled automatically, as ` +
            "set for this endpoint.",
          ...last,
          "No events are delivered to it until you enable it again."
        ]
      }
  }
}
