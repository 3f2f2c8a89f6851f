/** The console in a real browser, signed in, with the whole service behind it; and the table of its pages. */
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { invite, signIn } from "../callers/console.ts"
import { flushed } from "../rows/logs.ts"
import { merchantOf, said as done } from "../Merchant.ts"
import { mailServer } from "../servers/MailServer.ts"
import { freePort, start } from "../Service.ts"
import { openPage } from "./Browser.ts"

export const phone = { width: 390, height: 844 }
export const desktop = { width: 1_440, height: 900 }

/** `operator` is an admin of the installation, `watcher` one of its viewers. */
export type ConsoleRole = "owner" | "developer" | "support" | "finance" | "viewer" | "operator" | "watcher"

/** A service whose people get their mails, and browsers that are signed in to its console. */
export const openConsole = Effect.fnUntraced(function* (options: Parameters<typeof start>[0] = {}) {
  const mails = yield* mailServer()
  const port = yield* freePort
  const origin = `http://localhost:${port}`
  const running = yield* start({
    port,
    ...options,
    env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", PUBLIC_URL: origin, ...options.env }
  })
  const { api, merchant } = running
  const { merchantId } = merchant

  /** A browser of a person with this role. Lines on its console and requests to other hosts are in `said`. */
  const enter = Effect.fnUntraced(function* (
    role: ConsoleRole,
    viewport: { readonly width: number; readonly height: number } = desktop,
    browser: Parameters<typeof openPage>[1] = {}
  ) {
    const email = `${role}@shop.example`
    const ofInstallation = { operator: "admin", watcher: "viewer" } as const
    const of =
      role === "operator" || role === "watcher" ? { role: ofInstallation[role] } : { role, merchant_id: merchantId }
    yield* invite(api, mails, { email, ...of })
    const { cookies } = yield* signIn(api, mails, email, origin)
    const page = yield* openPage(viewport, { locale: "en-US", reducedMotion: "reduce", ...browser })
    const said: Array<string> = []
    // Chromium writes each refusal on the console.
    page.on("console", (message) => {
      if (message.type() === "error" && !/status of 4/.test(message.text())) said.push(message.text())
    })
    page.on("pageerror", (error) => said.push(error.message))
    page.on("request", (request) => {
      if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(origin)) said.push(request.url())
    })
    yield* Effect.promise(() =>
      page.context().addCookies(Array.from(cookies, ([name, value]) => ({ name, value, url: origin })))
    )
    /** Opens a page behind the sandbox's address, or any of the console from `/console` on. */
    const go = (path: string) =>
      Effect.promise(() =>
        page.goto(path.startsWith("/console") ? origin + path : `${origin}/console/${merchantId}/sandbox${path}`)
      )
    return { page, said, go }
  })
  return { ...running, ...merchantOf(running), mails, origin, merchantId, enter }
})

export type OpenConsole = Effect.Success<ReturnType<typeof openConsole>>

/** Something for each page: a payment with two refunds and a lost dispute, an order that waits, a link, an endpoint. */
export const seeded = Effect.fnUntraced(function* (at: OpenConsole) {
  const endpoint = yield* done(at.post("/v1/webhook_endpoints", { url: `${at.origin}/hooks` }))
  const paid = yield* at.paid(10_000, {
    subject: "Two books",
    receipt_email: "reader@example.com",
    metadata: { shelf: "A7" }
  })
  const tradeNo: string = paid["trade_no"]
  const refund = yield* done(at.refund({ trade_no: tradeNo, amount: 1_000, reason: "one book came damaged" }))
  yield* done(at.refund({ trade_no: tradeNo, amount: 500 }))
  const dispute = yield* done(at.dispute(tradeNo, {}))
  yield* done(at.resolve(dispute["dispute_no"], "lost"))
  const disputed = yield* at.paid(7_000, { subject: "A lamp" })
  const open = yield* done(at.dispute(disputed["trade_no"], {}))
  const waiting = yield* done(at.post("/v1/orders", { amount: 4_200, subject: "A chair" }))
  const link = yield* done(at.post("/v1/payment_links", { amount: 2_500, subject: "A ticket" }))
  const refused = yield* at.post("/v1/orders", { amount: "much" })
  const parked = yield* done(at.post("/v1/orders", { amount: 52_000, subject: "A wardrobe" }))
  yield* done(at.post(`/v1/test_helpers/orders/${parked["trade_no"]}/pay`, { amount: 51_999 }))
  yield* at.paid(40_000, { subject: "A sofa" })
  const payout = yield* done(
    at.api.operator("POST", `/merchants/${at.merchantId}/payouts`, { mode: "sandbox", currency: "USD", amount: 2_500 })
  )
  const { data: movements } = yield* done(at.get("/v1/balance_transactions?limit=1"))
  yield* at.atRest
  yield* flushed(at)
  const [delivery] = (yield* done(at.get("/v1/webhook_deliveries?limit=1")))["data"]
  return {
    ledgerId: movements[0]["id"] as string,
    merchantId: at.merchantId,
    parkedNo: parked["trade_no"] as string,
    payoutNo: payout["payout_no"] as string,
    tradeNo,
    waitingNo: waiting["trade_no"] as string,
    refundNo: refund["refund_no"] as string,
    disputeNo: open["dispute_no"] as string,
    linkId: link["link_id"] as string,
    endpointId: endpoint["id"] as string,
    deliveryId: delivery["id"] as string,
    eventId: delivery["event_id"] as string,
    requestId: refused.body.request_id as string
  }
})

export type Seeded = Effect.Success<ReturnType<typeof seeded>>

/** Pages of a merchant's money. */
const moneyPages: ReadonlyArray<readonly [name: string, path: (seed: Seeded) => string]> = [
  ["refunds", () => "/refunds"],
  ["refund", ({ refundNo }) => `/refunds/${refundNo}`],
  ["disputes", () => "/disputes"],
  ["dispute", ({ disputeNo }) => `/disputes/${disputeNo}`],
  ["links", () => "/links"],
  ["link", ({ linkId }) => `/links/${linkId}`],
  ["receipts", () => "/receipts"],
  ["ledger", () => "/ledger"],
  ["ledger row", ({ ledgerId }) => `/ledger/${ledgerId}`],
  ["own payouts", () => "/payouts"],
  ["own payout", ({ payoutNo }) => `/payouts/${payoutNo}`],
  ["reports", () => "/reports"],
  ["search of a merchant", () => "/search?text=two"]
]

const operator = "/console/operator"

/** Those of operators. */
const operatorPages: ReadonlyArray<readonly [name: string, path: (seed: Seeded) => string]> = [
  ["overview", () => `${operator}?mode=sandbox`],
  ["held up", () => `${operator}/held-up?mode=sandbox`],
  ["parked payment", ({ merchantId, parkedNo }) => `${operator}/merchants/${merchantId}/sandbox/orders/${parkedNo}`],
  ["payouts", () => `${operator}/payouts?mode=sandbox`],
  ["payout", ({ payoutNo }) => `${operator}/payouts/${payoutNo}`],
  ["approvals", () => `${operator}/approvals`],
  ["reconciliation", () => `${operator}/reconciliation`],
  ["merchants", () => `${operator}/merchants`],
  ["merchant", ({ merchantId }) => `${operator}/merchants/${merchantId}/sandbox`],
  ...["ledger", "logs", "keys", "channel", "settings"].map(
    (tab) =>
      [`merchant ${tab}`, ({ merchantId }: Seeded) => `${operator}/merchants/${merchantId}/sandbox/${tab}`] as const
  ),
  ["delivery of a merchant", ({ deliveryId }) => `${operator}/deliveries/${deliveryId}`],
  ["buyers", () => `${operator}/buyers`],
  ["cluster", () => `${operator}/cluster`],
  ["people", () => `${operator}/people`],
  ["tokens", () => `${operator}/tokens`],
  ["audit log", () => `${operator}/audit`],
  ["search", () => `${operator}/search?number=nothing`]
]

/** The pages that are looked at in each language, size and scheme: a name, an address, and the role that opens it. */
export const consoleTable: ReadonlyArray<readonly [name: string, path: (seed: Seeded) => string, role?: "operator"]> = [
  ["home", () => ""],
  ["orders", () => "/orders"],
  ["order", ({ tradeNo }) => `/orders/${tradeNo}`],
  ["order that waits", ({ waitingNo }) => `/orders/${waitingNo}`],
  ...moneyPages,
  ["webhooks", () => "/webhooks"],
  ["webhook", ({ endpointId }) => `/webhooks/${endpointId}`],
  ["deliveries", () => "/deliveries"],
  ["delivery", ({ deliveryId }) => `/deliveries/${deliveryId}`],
  ["events", () => "/events"],
  ["event", ({ eventId }) => `/events/${eventId}`],
  ["logs", () => "/logs"],
  ["log", ({ requestId }) => `/logs/${requestId}`],
  ["keys", () => "/keys"],
  ["sandbox", () => "/sandbox"],
  ["people of a merchant", () => "/people"],
  ["sessions", () => "/sessions"],
  ["buyers of a merchant", () => "/buyers"],
  ["settings of a merchant", () => "/settings"],
  ["notifications of a person", () => "/notifications"],
  ["audit log of a merchant", () => "/audit"],
  ...operatorPages.map(([name, path]) => [name, path, "operator"] as const)
]

/** Until all that the page reads is there. */
export const drawn = (page: Page) =>
  Effect.promise(async () => {
    await page.locator("main h1").first().waitFor()
    await page.locator(".skeleton").first().waitFor({ state: "hidden" })
  })

/** Runs in the page: what is wider than its place, apart from regions that scroll by themselves. */
export const misfits = () => {
  const root = document.documentElement
  const cut = Array.from(document.querySelectorAll<HTMLElement>("main *, header *"))
    .filter((element) => element.closest(".table, pre, svg, .unseen") === null && element.clientWidth > 0)
    .filter((element) => element.checkVisibility())
    .filter(
      (element) => !/^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName) && element.scrollWidth - element.clientWidth > 1
    )
    .map(({ className, tagName }) => `${tagName}.${className}`)
  return [...(root.scrollWidth > root.clientWidth ? [`${root.scrollWidth} px in ${root.clientWidth}`] : []), ...cut]
}

/**
 * Runs in the page: controls that a finger may miss. A link within a text is as high as its line, and a box of a choice
 * is as large as its label.
 */
export const smallTargets = () =>
  Array.from(document.querySelectorAll<HTMLElement>("button, summary, select, input:not([type=hidden]), nav.links a"))
    .filter((element) => element.checkVisibility() && element.closest(".unseen, .skip") === null)
    .map((element) => (element.matches("[type=checkbox], [type=radio]") && element.closest("label")) || element)
    .filter((element) => element.getBoundingClientRect().height < 43.5)
    .map((element) => `${element.tagName}.${element.className} ${element.textContent?.slice(0, 20) ?? ""}`)
