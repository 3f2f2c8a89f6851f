/** `coffer stripe rehearse` against the simulator, as it is and behind a server that plants differences. */
import http from "node:http"
import net from "node:net"
import tls from "node:tls"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { accountOf, start as simulate } from "@coffer/simulator/start"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { type Said, type } from "../kit/callers/cli.ts"
import { password, proxying } from "../webhooks/proxy.ts"
import { run, selfSigned } from "../webhooks/receiver.ts"
import { trusting } from "../webhooks/secureReceiver.ts"

// oxlint-disable-next-line no-explicit-any -- a test changes what it finds
type Body = any

/** Changes an answer in place, for a request such as `POST /v1/refunds`. `"lost"` loses it. */
type Plant = (body: Body, request: string) => "lost" | unknown

/** A simulator whose answers go through `plant`. */
const planted = Effect.fnUntraced(function* (plant: Plant = () => undefined) {
  const simulator = yield* simulate({ port: 0, chargeBookedAfter: 0, disputeDecides: 0 })
  // Nothing is posted to the address of the endpoint at which webhooks are lost.
  yield* simulator.control.hold_webhooks({})
  const { port } = yield* run(
    http.createServer(async (request, response) => {
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { authorization, "content-type": contentType, "idempotency-key": idempotencyKey } = request.headers
      const answer = await fetch(`${simulator.url}${request.url}`, {
        method: request.method!,
        headers: {
          authorization: authorization!,
          ...(contentType && { "content-type": contentType }),
          ...(idempotencyKey && { "idempotency-key": String(idempotencyKey) })
        },
        ...(request.method === "POST" && { body: Buffer.concat(chunks) })
      })
      const body: Body = await answer.json()
      if (plant(body, `${request.method} ${request.url}`) === "lost") return void response.destroy()
      response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(body))
    })
  )
  return { ...simulator, address: `http://127.0.0.1:${port}` }
})

const key = "sk_test_ofTheRehearsal0123456789"

const rehearsed = Effect.fnUntraced(function* (plant?: Plant, ...words: ReadonlyArray<string>) {
  const stripe = yield* planted(plant)
  const said = yield* type(["stripe", "rehearse", "--api", stripe.address, "--patience", "1", ...words], {
    STRIPE_KEY: key
  })
  return { ...said, ...stripe }
})

interface Differing {
  readonly step: string
  readonly differences: ReadonlyArray<{ path: string; kind: string; simulator: string; stripe: string }>
}

const differing = (stdout: string): ReadonlyArray<Differing> =>
  JSON.parse(stdout).steps.filter(({ outcome }: { outcome: string }) => outcome === "different")

describe("coffer stripe rehearse", () => {
  it.live("is green against the simulator, takes back what it made, and reports neither key nor id", () =>
    Effect.gen(function* () {
      const { all, code, stderr, stdout } = yield* rehearsed(undefined, "--json")
      assert.deepStrictEqual(differing(stdout), [], stderr)
      assert.strictEqual(code, 0, stderr)
      const report = JSON.parse(stdout)
      assert.deepStrictEqual([report.different, report.not_reached, report.left], [0, 0, 0])
      assert.isAtLeast(report.same, 45)
      assert.deepStrictEqual([report.methods, report.other_methods], [["card", "alipay", "wechat_pay"], []])
      assert.notMatch(stdout, /sk_test|\b(pi|ch|re|cs|du|dp|evt|acct|pm|file)_\w{6}/)
      const [file] = all("file")
      assert.deepInclude(file, { purpose: "dispute_evidence", type: "png" })
      assert.isTrue(all("dispute").some(({ evidence }) => evidence.receipt === file!.id))
      assert.include(stderr, "dispute, won: same")
      assert.deepStrictEqual(new Set(all("checkout.session").map(({ status }) => status)), new Set(["expired"]))
      const open = all("payment_intent").filter(({ status }) => !["succeeded", "canceled"].includes(status))
      assert.deepStrictEqual(open, [])
      assert.deepStrictEqual(all("webhook_endpoint"), [])
      const named = new Set(all("payment_intent").flatMap(({ payment_method_types: types }) => types))
      assert.deepStrictEqual(named, new Set(["card", "alipay", "wechat_pay"]))
    })
  )

  for (const [methods, others] of [
    [["card"], []],
    [
      ["card", "wechat_pay"],
      ["klarna", "link"]
    ]
  ] as const) {
    it.live(`pays by each method that the account has (${[...methods, ...others].join(", ")}), and by no other`, () =>
      Effect.gen(function* () {
        let sessions = 0
        const stripe = yield* planted((body, request) => {
          // The first session is for every method of the account.
          if (request === "POST /v1/checkout/sessions" && sessions++ === 0) body.payment_method_types.push(...others)
        })
        yield* stripe.control.set_account({ account: accountOf(key), methods: [...methods] })
        const words = ["stripe", "rehearse", "--api", stripe.address, "--patience", "1", "--json"]
        const { code, stderr, stdout } = yield* type(words, { STRIPE_KEY: key })
        assert.deepStrictEqual(differing(stdout), [], stderr)
        assert.strictEqual(code, 0, stderr)
        const report = JSON.parse(stdout)
        assert.deepStrictEqual([report.methods, report.other_methods], [methods, others])
        const steps: ReadonlyArray<string> = report.steps.map(({ step }: { step: string }) => step)
        for (const method of ["card", "alipay", "wechat_pay"] as const) {
          assert.strictEqual(
            steps.includes(`session for ${method}`),
            methods.some((each) => each === method)
          )
        }
      })
    )
  }

  it.live("appeals a lost dispute where the account may, with a reason and a file", () =>
    Effect.gen(function* () {
      const stripe = yield* planted()
      const said = { stdout: "", stderr: "" }
      // The real bank, which offers an appeal some time after the loss.
      const bank = Effect.gen(function* () {
        for (const { id, status } of stripe.all("dispute")) {
          if (status === "lost" && said.stderr.includes(`to appeal ${id}`)) {
            yield* stripe.control.decide_dispute({ dispute: id, outcome: "appeal_needs_response" })
          }
        }
        yield* Effect.sleep("50 millis")
      })
      yield* Effect.forkScoped(Effect.forever(bank))
      const words = ["stripe", "rehearse", "--api", stripe.address, "--patience", "1", "--appeals", "--json"]
      const { code, stderr, stdout } = yield* type(words, { STRIPE_KEY: key }, said)
      assert.deepStrictEqual(differing(stdout), [], stderr)
      assert.strictEqual(code, 0, stderr)
      assert.include(stderr, "appeal, filed: same")
      const appealed = stripe.all("dispute").filter(({ status }) => status === "appeal_under_review")
      assert.lengthOf(appealed, 1)
      assert.strictEqual(appealed[0]!.evidence.appeal?.card?.reason_for_filing, "Rehearsal")
    })
  )

  it.live("waits while a person pays at each page that it prints, and refunds the payments", () =>
    Effect.gen(function* () {
      const stripe = yield* planted()
      const said = { stdout: "", stderr: "" }
      const open = Effect.sync(() =>
        stripe.all("checkout.session").filter(({ status, url }) => status === "open" && said.stderr.includes(url!))
      )
      const person = Effect.gen(function* () {
        for (const { id, payment_method_types: types } of yield* open) {
          yield* stripe.control.pay({
            session: id,
            with: types[0] === "card" ? "pm_card_visa" : types[0]!,
            authorises: true
          })
        }
        yield* Effect.sleep("50 millis")
      })
      yield* Effect.forkScoped(Effect.forever(person))
      const words = ["stripe", "rehearse", "--api", stripe.address, "--patience", "1", "--by-hand", "--json"]
      const { code, stderr, stdout } = yield* type(words, { STRIPE_KEY: key }, said)
      assert.deepStrictEqual(differing(stdout), [], stderr)
      assert.strictEqual(code, 0, stderr)
      assert.notInclude(stdout, "http")
      const paid = stripe.all("checkout.session").map(({ payment_intent }) => payment_intent)
      assert.deepStrictEqual(
        stripe.all("refund").flatMap(({ amount, payment_intent: of }) => (paid.includes(of) ? [amount] : [])),
        [2_000, 2_000, 2_000]
      )
    })
  )

  it.live("goes through STRIPE_PROXY where it is set, and calls nothing past it", () =>
    Effect.gen(function* () {
      const stripe = yield* planted()
      const { cert, key: certKey } = selfSigned("localhost")
      yield* trusting(cert)
      let reached = 0
      const front = yield* run(
        tls.createServer({ cert, key: certKey }, (socket) => {
          reached++
          const there = net.connect(Number(new URL(stripe.address).port), "127.0.0.1")
          socket.pipe(there).pipe(socket)
          there.on("error", () => socket.destroy())
          socket.on("error", () => there.destroy())
        })
      )
      const proxy = yield* proxying()
      const target = `localhost:${front.port}`
      const words = ["stripe", "rehearse", "--api", `https://${target}`, "--patience", "1"]
      const { code, stderr } = yield* type(words, { STRIPE_KEY: key, STRIPE_PROXY: Redacted.value(proxy.url) })
      assert.strictEqual(code, 0, stderr)
      assert.isAbove(reached, 0)
      assert.lengthOf(proxy.asked, reached)
      const authorization = `Basic ${Buffer.from(`coffer:${password}`).toString("base64")}`
      for (const asked of proxy.asked) assert.deepInclude(asked, { method: "CONNECT", target, authorization })
    })
  )

  it.live("says what STRIPE_PROXY has to look like, and repeats nothing of it", () =>
    Effect.gen(function* () {
      for (const value of ["proxy.example:3128", "https://u:s3cret@proxy.example", "http://u:s3cret@proxy.example/a"]) {
        const { code, stderr } = yield* type(["stripe", "rehearse"], { STRIPE_KEY: key, STRIPE_PROXY: value })
        assert.strictEqual(code, 2)
        assert.include(stderr, "http://user:password@proxy.example:3128")
        assert.notInclude(stderr, "s3cret")
      }
    })
  )

  for (const [what, plant, path] of plants()) {
    it.live(`is red when ${what}`, () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* rehearsed(plant, "--json")
        assert.strictEqual(code, 1, stderr)
        const paths = differing(stdout).flatMap(({ differences }) => differences.map((each) => each.path))
        assert.include(paths, path, stdout)
      })
    )
  }

  describe("with --progress", () => {
    /** A folder of its own, and the command with a file in it. */
    const kept = Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "rehearsal-"))),
        (there) => Effect.sync(() => rmSync(there, { recursive: true }))
      )
      const file = join(folder, "progress.json")
      const wordsFor = (address: string) =>
        ["stripe", "rehearse", "--api", address, "--patience", "1", "--json", "--progress", file] as const
      return { file, wordsFor }
    })

    for (const [what, request] of [
      ["a session was made", "POST /v1/checkout/sessions"],
      ["a payment was made", "POST /v1/payment_intents"],
      ["a refund was made", "POST /v1/refunds"],
      ["evidence was submitted", "POST /v1/disputes/"]
    ] as const) {
      it.live(`goes on where it was interrupted while ${what} whose answer was lost, and makes nothing twice`, () =>
        Effect.gen(function* () {
          const { file, wordsFor } = yield* kept
          const reached = yield* Deferred.make<void>()
          let isLost = false
          const stripe = yield* planted((_, asked) => {
            if (isLost || !asked.startsWith(request)) return undefined
            isLost = true
            Deferred.doneUnsafe(reached, Effect.void)
            return "lost"
          })
          const first = yield* Effect.forkScoped(type(wordsFor(stripe.address), { STRIPE_KEY: key }))
          yield* Deferred.await(reached)
          yield* Fiber.interrupt(first)
          assert.strictEqual(statSync(file).mode & 0o777, 0o600)
          assert.notMatch(readFileSync(file, "utf8"), /sk_test|_secret_|whsec_/)
          assert.isEmpty(
            stripe.all("refund").filter(({ amount }) => amount === 2_000),
            "nothing is taken back yet"
          )
          const { code, stderr, stdout } = yield* type(wordsFor(stripe.address), { STRIPE_KEY: key })
          assert.deepStrictEqual(differing(stdout), [], stderr)
          assert.strictEqual(code, 0, stderr)
          assert.isFalse(existsSync(file) || existsSync(`${file}.simulator`))
          const plain = yield* rehearsed()
          for (const kind of ["checkout.session", "payment_intent", "refund", "dispute", "file"] as const) {
            assert.lengthOf(stripe.all(kind), plain.all(kind).length, kind)
          }
        })
      )
    }

    it.live("that Stripe does not answer ends it, and the next run resumes", () =>
      Effect.gen(function* () {
        const { file, wordsFor } = yield* kept
        let isAway = false
        const stripe = yield* planted((_, asked) => {
          if (asked === "POST /v1/refunds" && !existsSync(`${file}.back`)) isAway = true
          return isAway ? "lost" : undefined
        })
        const away = yield* type(wordsFor(stripe.address), { STRIPE_KEY: key })
        assert.strictEqual(away.code, 1)
        assert.include(away.stderr, "run the same command to resume")
        writeFileSync(`${file}.back`, "")
        isAway = false
        const back = yield* type(wordsFor(stripe.address), { STRIPE_KEY: key })
        assert.strictEqual(back.code, 0, back.stderr)
        assert.lengthOf(stripe.all("checkout.session"), 4)
      })
    )

    for (const [what, words, other] of [
      ["another key", [], { STRIPE_KEY: `${key}9` }],
      ["other flags", ["--by-hand"], {}]
    ] as const) {
      it.live(`is refused with ${what} than it was begun with`, () =>
        Effect.gen(function* () {
          const { file, wordsFor } = yield* kept
          const stripe = yield* planted((_, asked) => (asked === "POST /v1/refunds" ? "lost" : undefined))
          yield* type(wordsFor(stripe.address), { STRIPE_KEY: key })
          const said: Said = { stdout: "", stderr: "" }
          const again = yield* type([...wordsFor(stripe.address), ...words], { STRIPE_KEY: key, ...other }, said)
          assert.strictEqual(again.code, 2, again.stderr)
          assert.include(again.stderr, "another key or other flags")
          assert.isTrue(existsSync(file))
        })
      )
    }
  })

  it.live("prints each difference as a line that a person reads", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* rehearsed((body) => {
        if (body.object === "refund") body.status = "pending"
      })
      assert.strictEqual(code, 1)
      assert.include(stdout, "different  partial refund\n  status (value): Stripe pending, the simulator succeeded\n")
    })
  )

  for (const [what, env, words] of [
    ["a live key", { STRIPE_KEY: "sk_live_0123456789" }, []],
    ["what is no key", { STRIPE_KEY: "pk_test_0123456789" }, []],
    ["no key", {}, []],
    ["a key for another host than Stripe's", { STRIPE_KEY: key }, ["--api", "https://stripe.example"]]
  ] as const) {
    it.live(`refuses ${what} with exit code 2, and makes no calls`, () =>
      Effect.gen(function* () {
        let asked = 0
        const { address } = yield* planted(() => void asked++)
        const said = yield* type(["stripe", "rehearse", ...(words.length > 0 ? words : ["--api", address])], env)
        assert.strictEqual(said.code, 2, said.stderr)
        assert.strictEqual(asked, 0)
        assert.notInclude(said.stderr, "0123456789")
      })
    )
  }
})

/** Ways in which the real Stripe might differ, and the field at which the report has to show each. */
function plants(): ReadonlyArray<readonly [what: string, plant: Plant, path: string]> {
  const of = (object: string, change: (body: Body) => void): Plant => {
    const within = (body: Body): void => {
      if (body?.object === object) change(body)
      if (body?.object === "list") body.data.forEach(within)
    }
    return within
  }
  return [
    ["a field is missing", of("charge", (charge) => delete charge.amount_refunded), "amount_refunded"],
    ["a field has another type", of("refund", (refund) => (refund.amount = String(refund.amount))), "amount"],
    ["a status is another", of("refund", (refund) => (refund.status = "pending")), "status"],
    ["an error has another code", ({ error }) => error && (error.code = "unheard_of"), "error.code"],
    [
      "an enumeration has an unknown word",
      of("checkout.session", (session) => (session.ui_mode = "unheard_of")),
      "ui_mode"
    ],
    [
      "an event of which the webhook was lost counts as sent",
      (body, request) =>
        request.includes("type=charge.succeeded") &&
        body.data.forEach((event: Body) => {
          event.pending_webhooks = 0
        }),
      "answer"
    ],
    [
      "an event never appears",
      (body, request) => request.includes("type=charge.dispute.closed") && (body.data = []),
      "answer"
    ],
    [
      "a method that the account has is filtered",
      of("checkout.session", (session) => {
        if (session.payment_method_types[0] === "alipay") session.payment_method_types = []
      }),
      "payment_method_types"
    ],
    [
      "a fee is missing",
      of("charge", ({ balance_transaction: moved }) => moved && (moved.fee = 0)),
      "balance_transaction.fee"
    ],
    ["a currency is another", of("dispute", (dispute) => (dispute.currency = "eur")), "currency"],
    [
      "a deadline is missing",
      of("dispute", (dispute) => (dispute.evidence_details.due_by = null)),
      "evidence_details.due_by"
    ]
  ]
}
