/** The options of the command line. */
import { Effect, Schema } from "effect"
import type { Options } from "./start.ts"

export class BadArgument extends Schema.TaggedError<BadArgument>()("BadArgument", { message: Schema.String }) {}

type Writable = { -readonly [K in keyof Options]: Options[K] }

interface Flag {
  readonly says: string
  readonly read: (text: string, into: Writable) => boolean
}

const number =
  (field: { [K in keyof Options]-?: number extends Options[K] ? K : never }[keyof Options], max: number) =>
  (text: string, into: Writable): boolean => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value > max) return false
    Object.assign(into, { [field]: value })
    return true
  }

const text =
  (field: "host" | "publicUrl" | "seed" | "stateFile") =>
  (value: string, into: Writable): boolean => {
    into[field] = value
    return value !== ""
  }

const flags: Readonly<Record<string, Flag>> = {
  "--port": { says: "where it listens; 12111 if left out, 0 for any free port", read: number("port", 65_535) },
  "--host": { says: "127.0.0.1 if left out", read: text("host") },
  "--public-url": { says: "where browsers reach it, if that is elsewhere", read: text("publicUrl") },
  "--state": { says: "a file that keeps the state; in memory if left out", read: text("stateFile") },
  "--stands-at": { says: "seconds since 1970 at which the clock stands", read: number("standsAt", 9_999_999_999) },
  "--seed": { says: "a text; runs with the same one give the same ids", read: text("seed") },
  "--rate-limit": { says: "requests a second of an account; any number if left out", read: number("rateLimit", 1e9) },
  "--fee-percent-hundredths": { says: "of a payment; 290 (2.9 %) if left out", read: number("feePermyriad", 10_000) },
  "--fee-fixed": { says: "of a payment, in minor units; 30 if left out", read: number("feeFixed", 1e9) },
  "--charge-booked-after": {
    says: "seconds until a charge has its balance transaction; 2 if left out",
    read: number("chargeBookedAfter", 1e9)
  },
  "--refund-decided-after": {
    says: "seconds until a pending refund is decided; 60 if left out",
    read: number("refundDecidedAfter", 1e9)
  },
  "--dispute-due": {
    says: "seconds that a dispute waits for evidence; a week if left out",
    read: number("disputeDue", 1e9)
  },
  "--dispute-decides": {
    says: "seconds until test evidence decides a dispute; 5 if left out",
    read: number("disputeDecides", 1e9)
  }
}

export const usage = [
  "stripe-simulator: a server that answers like Stripe's API, and remembers.",
  "",
  ...Object.entries(flags).map(([flag, { says }]) => `  ${`${flag} <value>`.padEnd(34)}${says}`)
].join("\n")

interface Arguments {
  readonly help: boolean
  readonly options: Options
}

/** `--flag value` or `--flag=value`. */
export const readArguments = Effect.fnUntraced(function* (argv: ReadonlyArray<string>) {
  const options: Writable = {}
  const words = argv.flatMap((word) => (word.startsWith("--") ? word.split(/=(.*)/s).slice(0, 2) : [word]))
  if (words.includes("--help")) return { help: true, options } satisfies Arguments as Arguments
  for (let index = 0; index < words.length; index += 2) {
    const [name, value] = [words[index]!, words[index + 1]]
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
    if (flag === undefined)
      return yield* new BadArgument({ message: `There is no ${name}. --help shows what there is.` })
    if (value === undefined || !flag.read(value, options)) {
      return yield* new BadArgument({ message: `${name} cannot be "${value ?? ""}": ${flag.says}.` })
    }
  }
  return { help: false, options } satisfies Arguments as Arguments
})
