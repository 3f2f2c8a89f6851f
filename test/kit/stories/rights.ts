/** A merchant that is approved for live, into which people of each role are let. */
import type { Mode } from "@coffer/model/Ids"
import { Effect, type Layer } from "effect"
import { type Faults, layer as noFaults } from "../../../src/platform/runtime/Faults.ts"
import { type ConsoleBrowser, invite, signIn } from "../callers/console.ts"
import { mailServer } from "../servers/MailServer.ts"
import { start } from "../Service.ts"

export const begin = Effect.fnUntraced(function* (
  env: Record<string, string> = {},
  clock: "test" | "real" = "real",
  faults: Layer.Layer<Faults> = noFaults
) {
  const mails = yield* mailServer()
  const given = { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", ...env }
  const running = yield* start({ env: given, faults, ...(clock === "test" ? { clock } : {}) })
  const { api } = running
  const { merchantId } = running.merchant
  yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true })
  const enter = Effect.fnUntraced(function* (role: string, at: string = merchantId) {
    const email = `${role}@${at === "" ? "pay" : "shop"}.example`
    const { person_id } = yield* invite(api, mails, { email, role, ...(at === "" ? {} : { merchant_id: at }) })
    return { ...(yield* signIn(api, mails, email)), email, person_id }
  })
  return { ...running, mails, merchantId, enter, at: `/merchants/${merchantId}` }
})

export const make = ({ call }: ConsoleBrowser, at: string, mode: Mode, made: ReadonlyArray<string>) =>
  call("POST", `${at}/api_keys`, { mode, name: "Of a test", scopes: made })
