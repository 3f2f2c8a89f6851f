/**
 * The address to which Adyen sends notices (`POST /channels/adyen/{token}`). The token and the signature of each notice
 * are checked before any look-up except that of the merchant, which is in memory. Notices are stored before they are
 * acknowledged, and handled by a worker. Adyen sends a batch again until it is acknowledged.
 */
import type { Account } from "@coffer/model/Account"
import { Mode } from "@coffer/model/Ids"
import { ByteSize, Effect, type Layer, Metric, Option } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Merchants } from "../../access/merchants/Merchants.ts"
import * as PublicAdmission from "../../door/edge/PublicAdmission.ts"
import { isDatabaseTrouble } from "../../platform/postgres/trouble.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { parseJson } from "../../platform/runtime/codecs.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import type { Admission } from "../../shared/http/Admission.ts"
import * as Body from "../../shared/http/Body.ts"
import type { Clients } from "../../shared/http/Clients.ts"
import { webhookAddresses } from "../acquirers/webhookAddresses.ts"
import { openKeys, signingKeys } from "./account.ts"
import { AdyenClient } from "./AdyenClient.ts"
import { AdyenNotices, isKept } from "./AdyenNotices.ts"
import { AdyenReports } from "./AdyenReports.ts"
import { adyenChannel } from "./names.ts"
import { batchOf } from "./reports.ts"
import { isSigned, type Item, noticeOf, readBatch } from "./notices.ts"

export const noticeAddresses = webhookAddresses(adyenChannel, "adyen notices/")

/** A batch of few notices has some kilobytes. */
const bytesMax = 512 * 1_024

const outcomes = ["stored", "repeated", "ignored", "refused"] as const
const received = Metric.counter("coffer_adyen_notices_received_total", {
  description: "Notices from Adyen, by outcome; refused: whole requests",
  incremental: true
})
/** `none`: the address belongs to no merchant. */
type Of = Mode | "none"
const count = (mode: Of, outcome: (typeof outcomes)[number], by = 1) =>
  Metric.update(Metric.withAttributes(received, { mode, outcome }), by)

type Routes = Layer.Layer<
  never,
  never,
  | HttpRouter.HttpRouter
  | Admission
  | AdyenClient
  | AdyenNotices
  | AdyenReports
  | Clients
  | Merchants
  | Secrets
  | Settings
>

export const layerNotices: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const secrets = yield* Secrets
    const addresses = yield* noticeAddresses
    const client = yield* AdyenClient
    const notices = yield* AdyenNotices
    const reports = yield* AdyenReports
    const through = yield* PublicAdmission.make
    const receiving = yield* Body.makeReceiving
    for (const mode of Mode.literals) yield* Effect.forEach(outcomes, (outcome) => count(mode, outcome, 0))
    yield* count("none", "refused", 0)

    const keep = Effect.fnUntraced(function* (account: Account, item: Item) {
      const isNew = yield* notices.note(account, noticeOf(item, yield* currentTime))
      yield* count(account.mode, isNew ? "stored" : "repeated")
    })

    const receive = Effect.gen(function* () {
      const { token = "" } = yield* HttpRouter.params
      const account = addresses.read(token)
      if (Option.isNone(account)) return yield* refused("none", "no such address", 404)
      const { mode } = account.value
      const stored = yield* client.accountOf(account.value)
      if (stored === null) return yield* refused(mode, "no Adyen account is set", 404)
      const request = yield* HttpServerRequest.HttpServerRequest
      const arrived = yield* Effect.option(receiving(readBody(request)))
      if (Option.isNone(arrived)) return answer("not now", 503)
      if (arrived.value === undefined) return yield* refused(mode, `the body must have at most ${bytesMax} bytes`, 400)
      const batch = Option.flatMap(parseJson(arrived.value.toString()), readBatch)
      if (Option.isNone(batch)) return yield* refused(mode, "the body is no batch of notices", 400)
      const { isLive, items } = batch.value
      const keys = signingKeys(openKeys(secrets, account.value, stored), stored.setAt, yield* currentTime)
      if (!items.every((item) => isSigned(item, keys))) return yield* refused(mode, "a signature is not valid", 401)
      // `live` is not signed, so it only refuses. Another merchant account may send to the same address.
      const isOwn = (item: Item) => item.merchantAccountCode === stored.account && isLive === (mode === "live")
      for (const { eventCode, pspReference } of items.filter(isOwn)) {
        // Its address is not signed, so the file is asked for under ours.
        const batch = eventCode === "REPORT_AVAILABLE" ? batchOf(pspReference) : undefined
        if (batch !== undefined) yield* reports.announced(account.value, batch)
      }
      const kept = items.filter((item) => isOwn(item) && isKept(item.eventCode))
      yield* Effect.forEach(kept, (item) => keep(account.value, item), { discard: true })
      yield* count(mode, "ignored", items.length - kept.length)
      return answer("[accepted]", 200)
    }).pipe(
      Effect.catchDefect((defect) =>
        isDatabaseTrouble(defect) ? Effect.succeed(answer("not now", 503)) : Effect.die(defect)
      ),
      Effect.withSpan("adyen.notices")
    )

    yield* router.add("POST", "/channels/adyen/:token", through(receive, Effect.succeed(answer("busy", 503))))
  })
)

/** Undefined if it is too large. */
const readBody = ({ arrayBuffer, headers }: HttpServerRequest.HttpServerRequest) => {
  if (Number(headers["content-length"] ?? 0) > bytesMax) return Effect.succeed(undefined)
  return arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bytesMax)),
    Effect.map((bytes) => Buffer.from(bytes)),
    Effect.catch(() => Effect.succeed(undefined))
  )
}

const answer = (text: string, status: number) => HttpServerResponse.text(text, { status })

const refused = (mode: Of, why: string, status: number) => Effect.as(count(mode, "refused"), answer(why, status))
