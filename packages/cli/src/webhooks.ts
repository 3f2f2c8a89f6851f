/** `coffer webhooks certify`: whether a webhook receiver copes with everything Coffer can send, and how to fix it. */
import { Config, Console, Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type Result, resultsOf, type Severity } from "./certifyChecks.ts"
import { failed, Reported } from "./CliFailure.ts"
import { isReceiver, receiverOf } from "./delivery.ts"
import { command, json } from "./frame.ts"
import { indentedJson } from "./json.ts"
import { paint } from "./output.ts"
import { plain } from "./plain.ts"

/** Exit codes 1 and 2 mean that the command itself failed. */
const grades = {
  A: { exitCode: 0, says: "passes every check" },
  B: { exitCode: 3, says: "works, but breaks on unusual input" },
  C: { exitCode: 4, says: "loses events" },
  F: { exitCode: 5, says: "is dangerous: it accepts requests that the service did not send" }
} as const

const gradeOf: Readonly<Record<Severity, keyof typeof grades>> = { fragile: "B", lossy: "C", dangerous: "F" }

/** The worst fault decides. */
export const gradeOfAll = (severities: ReadonlyArray<Severity>): keyof typeof grades =>
  severities
    .map((severity) => gradeOf[severity])
    .reduce<keyof typeof grades>((worst, one) => (one > worst ? one : worst), "A")

const certify = command(
  "certify",
  {
    does:
      "Test a webhook receiver with everything it has to cope with, and grade it: exit code 0 for A, 3 for B, 4 " +
      "for C, 5 for F",
    example: "COFFER_WEBHOOK_SECRET=whsec_… coffer webhooks certify http://localhost:3000/hook"
  },
  {
    url: Argument.String("url").pipe(
      Argument.withDescription("URL of the webhook receiver: http://localhost:3000/hook")
    ),
    secret: Flag.Redacted("secret").pipe(
      Flag.optional,
      Flag.withDescription("The receiver's signing secret; default: COFFER_WEBHOOK_SECRET")
    )
  },
  Effect.fnUntraced(function* ({ secret, url: written }) {
    const url = receiverOf(written)
    if (!isReceiver(url)) {
      const next = "use a URL that starts with http:// or https://"
      return yield* failed("bad_receiver", `"${url}" is not a valid URL.`, next, 2)
    }
    const receiver = { url, secret: yield* secretOf(secret) }
    const asJson = yield* json
    const results = yield* resultsOf(receiver, (result) => (asJson ? Effect.void : tell(result)))
    if (results === undefined) {
      const next = "start your receiver, or correct the address, and run the command again"
      return yield* failed("no_receiver", `Nothing listens at ${url}, so there is nothing to grade.`, next)
    }
    const grade = gradeOfAll(results.flatMap(({ check, problem }) => (problem === undefined ? [] : [check.severity])))
    yield* conclude(grade, results)
    if (grades[grade].exitCode > 0) return yield* new Reported({ exitCode: grades[grade].exitCode })
  })
)

const secretOf = Effect.fnUntraced(function* (flag: Option.Option<Redacted.Redacted>) {
  const setting = yield* Effect.orElseSucceed(Config.option(Config.Redacted("COFFER_WEBHOOK_SECRET")), Option.none)
  const secret = Option.map(
    Option.orElse(flag, () => setting),
    Redacted.value
  )
  const next = "set COFFER_WEBHOOK_SECRET to your receiver's signing secret; coffer listen prints one"
  if (Option.isNone(secret)) return yield* failed("no_secret", "No signing secret was given.", next, 2)
  if (!/^whsec_[\w+/=-]{16,}$/.test(secret.value)) {
    return yield* failed("bad_secret", "That is not a signing secret. One starts with whsec_.", next, 2)
  }
  return secret.value
})

const tell = Effect.fnUntraced(function* ({ check, problem }: Result) {
  const style = yield* paint
  if (problem === undefined) return yield* Console.log(`${style("green", "ok")}    ${check.name}`)
  yield* Console.log(
    [
      `${style("red", "fault")} ${check.name} (${check.severity})`,
      `      Seen: ${plain(problem)}`,
      `      Why it matters: ${check.fault}`,
      `      Fix: ${check.fix}`
    ].join("\n")
  )
})

const conclude = Effect.fnUntraced(function* (grade: keyof typeof grades, results: ReadonlyArray<Result>) {
  const { says } = grades[grade]
  if (!(yield* json)) return yield* Console.log(`\nGrade ${grade}: it ${says}.`)
  const shown = results.map(({ check: { fault, fix, name, severity }, problem }) =>
    problem === undefined ? { name, ok: true } : { name, ok: false, severity, seen: problem, fault, fix }
  )
  yield* Console.log(indentedJson({ grade, says, checks: shown }))
})

export const webhooksCommand = Command.make("webhooks").pipe(
  Command.withDescription("Your webhook receiver: certify"),
  Command.withSubcommands([certify])
)
