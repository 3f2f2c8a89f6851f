/** `coffer stripe rehearse`: compares the real Stripe, by a sandbox key, with the simulator. */
import { randomUUID } from "node:crypto"
import { Clock, Config, Console, Effect, Option, Redacted } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import { failed, Reported } from "./CliFailure.ts"
import { isOnThisMachine } from "./confirmed.ts"
import { count, text } from "./flags.ts"
import { anyonesCommand, json } from "./frame.ts"
import { indentedJson } from "./json.ts"
import { paint } from "./output.ts"
import { plain } from "./plain.ts"
import { type Rehearsal, rehearse, type Result } from "./rehearsal.ts"
import { openProgress } from "./rehearsalProgress.ts"
import { byHandNotes } from "./rehearsalSteps.ts"
import { throughProxy } from "./stripeProxy.ts"
import { apiVersion, stripes, worldAt } from "./stripeWorld.ts"

/** For objects that come later, such as a dispute of a test card. */
const patience = 60_000

const rehearseCommand = anyonesCommand(
  "rehearse",
  {
    does: "Compare Stripe, with a sandbox key, to the simulator: exit code 0 if everything matches, else 1",
    example: "STRIPE_KEY=sk_test_… coffer stripe rehearse"
  },
  {
    api: Flag.String("api").pipe(
      Flag.withFallbackConfig(Config.NonEmptyString("STRIPE_API")),
      Flag.withDefault(stripes),
      Flag.withDescription(`Where Stripe is: ${stripes}, or a simulator on this machine; else what STRIPE_API says`)
    ),
    currency: Flag.String("currency").pipe(
      Flag.withDefault("usd"),
      Flag.withDescription("Currency of the payments, which the account has to support")
    ),
    byHand: Flag.Boolean("by-hand").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Also pay with each method on Stripe's own pages, which you open yourself")
    ),
    appeals: Flag.Boolean("appeals").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Also appeal a lost dispute, if the account's dispute settings allow it")
    ),
    progress: text("progress", "File to save progress in: after an interruption, run the same command to resume"),
    wait: count("wait", [1, 60], 10, "Minutes to wait for you on each page, and for Stripe's answer to an appeal"),
    patience: count("patience", [1, 600], patience / 1_000, "Seconds to wait for a change to appear at Stripe")
  },
  Effect.fnUntraced(function* ({ api, appeals, byHand, currency, patience, progress: named, wait }) {
    if (api !== stripes && !isOnThisMachine(api)) {
      return yield* failed(
        "bad_address",
        "A Stripe key is sent to Stripe only.",
        `omit --api and STRIPE_API, or point them to this machine`,
        2
      )
    }
    if (!/^[a-z]{3}$/i.test(currency)) {
      return yield* failed(
        "bad_currency",
        `"${currency}" is not a currency.`,
        "use the three letters of a currency, such as usd",
        2
      )
    }
    yield* throughProxy
    const key = yield* keyOfSandbox
    const real = worldAt(new URL(api).origin, key)
    yield* expectSandbox(real)
    const began = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
    const fresh = { currency: currency.toLowerCase(), byHand, appeals, tag: randomUUID(), began }
    const { progress, run, stateFile } = yield* openProgress(named, fresh, { api, key })
    const { accountOf, checkAnswer, start } = yield* simulator
    const settings = { port: 0, chargeBookedAfter: 0, disputeDecides: 0, ...(stateFile !== undefined && { stateFile }) }
    const { control, url } = yield* Effect.mapError(start(settings), () =>
      failed(
        "no_simulator",
        "The Stripe simulator can't listen on this machine.",
        "check that programs here may listen at 127.0.0.1"
      )
    )
    // Its webhooks would go to the same address as the real ones.
    yield* Effect.ignore(control.hold_webhooks({}))
    const rehearsal = yield* rehearse({
      real,
      simulated: worldAt(url, keyOfSimulator),
      act: ({ about, does }) => {
        const [method] = about.payment_method_types ?? []
        return does === "appeal"
          ? Effect.ignore(control.decide_dispute({ dispute: about.id, outcome: "appeal_needs_response" }))
          : Effect.ignore(
              control.pay({ session: about.id, authorises: true, ...(method !== "card" && { with: method }) })
            )
      },
      hasMethods: (methods) =>
        Effect.ignore(control.set_account({ account: accountOf(keyOfSimulator), methods, currency: run.currency })),
      check: checkAnswer,
      run,
      progress,
      patience: patience * 1_000,
      personsPatience: wait * 60_000,
      say: (line) => Console.error(plain(line))
    })
    yield* print(rehearsal)
    if (rehearsal.results.some(({ outcome }) => outcome !== "same")) return yield* new Reported({ exitCode: 1 })
  }, Effect.scoped)
)

const keyOfSimulator = "sk_test_rehearsal"

/** Loaded when it is needed. An installation without it can do everything else. */
const simulator = Effect.tryPromise({
  try: () =>
    Promise.all([import("@coffer/simulator/start"), import("@coffer/simulator/facts/checkAnswer")]).then(
      ([{ accountOf, start }, { checkAnswer }]) => ({ accountOf, start, checkAnswer })
    ),
  catch: () =>
    failed("no_simulator", "The Stripe simulator is not installed here.", "run it in a checkout, after npm ci")
})

/** Never a flag: flags are visible in the process list. */
const keyOfSandbox = Effect.gen(function* () {
  const setting = yield* Effect.orElseSucceed(Config.option(Config.Redacted("STRIPE_KEY")), Option.none)
  const next = "set STRIPE_KEY to a key that begins with sk_test_ or rk_test_"
  const prompted = Effect.catch(Prompt.run(Prompt.Password({ message: "Stripe sandbox key" })), () =>
    failed("no_key", "No key was given.", next, 2)
  )
  if (Option.isNone(setting) && !process.stdin.isTTY) return yield* failed("no_key", "No key was given.", next, 2)
  const key = Redacted.value(Option.isSome(setting) ? setting.value : yield* prompted).trim()
  if (/^[sr]k_live_/.test(key)) {
    return yield* failed("live_key", "This key moves real money, so it was not used.", next, 2)
  }
  if (!/^[sr]k_test_\w+$/.test(key)) return yield* failed("bad_key", "This is not a sandbox secret key.", next, 2)
  return key
})

const expectSandbox = Effect.fnUntraced(function* ({ call }: ReturnType<typeof worldAt>) {
  const { body, status } = yield* call({ method: "GET", path: "/v1/balance" })
  const next =
    "use a key of the same sandbox that can read and write Checkout, PaymentIntents, Refunds, Disputes, Files and " +
    "Webhook Endpoints"
  if (status === 401 || status === 403) return yield* failed("refused", "Stripe does not accept this key.", next, 2)
  if (body?.livemode === true) return yield* failed("live_key", "This is a live key, so nothing was done.", next, 2)
})

const print = Effect.fnUntraced(function* ({ left, methods, otherMethods, results }: Rehearsal) {
  const counted = (outcome: Result["outcome"]) => results.filter((each) => each.outcome === outcome).length
  const totals = { same: counted("same"), different: counted("different"), not_reached: counted("not reached") }
  if (yield* json) {
    const shown = results.map(({ differences, outcome, step }) => ({ step, outcome, differences }))
    const report = {
      api_version: apiVersion,
      methods,
      other_methods: otherMethods,
      ...totals,
      steps: shown,
      by_hand: byHandNotes,
      left: left.length
    }
    return yield* Console.log(indentedJson(report))
  }
  const style = yield* paint
  for (const { differences, outcome, step } of results) {
    if (outcome === "same") continue
    yield* Console.log(`${style("red", outcome)}  ${plain(step)}`)
    for (const { kind, path, simulator, stripe } of differences) {
      yield* Console.log(`  ${plain(path)} (${kind}): Stripe ${plain(stripe)}, the simulator ${plain(simulator)}`)
    }
  }
  yield* Console.log(
    `${totals.same} steps match, ${totals.different} different, ${totals.not_reached} not reached, ` +
      `${left.length} objects left at Stripe. API version ${apiVersion}. Methods: ${methods.join(", ") || "none"}` +
      `${otherMethods.length > 0 ? `; not tried: ${plain(otherMethods.join(", "))}` : ""}.`
  )
  yield* Console.log(["By hand:", ...byHandNotes.map((each) => `  ${each}`)].join("\n"))
})

export const stripeCommand = Command.make("stripe").pipe(
  Command.withDescription("Your Stripe account: rehearse"),
  Command.withSubcommands([rehearseCommand])
)
