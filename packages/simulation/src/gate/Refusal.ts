/** Postgres refuses a kind of statement for a while, a case that neither cuts nor kills cover. */
import type { Dice } from "../dice.ts"
import { type Unit, writes } from "./units.ts"

interface Class {
  readonly code: string
  readonly message: string
  readonly refuses: (unit: Unit) => boolean
}

/** One of each class of temporary server errors. */
const classes: ReadonlyArray<Class> = [
  { code: "28P01", message: "password authentication failed", refuses: ({ isStartup }) => isStartup },
  { code: "42501", message: "permission denied for table orders", refuses: writes },
  { code: "53100", message: "could not extend file: no space left on device", refuses: writes },
  { code: "53300", message: "sorry, too many clients already", refuses: ({ isStartup }) => isStartup },
  { code: "58030", message: "could not read file", refuses: ({ isStartup }) => !isStartup },
  { code: "XX001", message: "invalid page in block", refuses: (unit) => writes(unit) }
]

export class Refusal {
  readonly kind: Class
  readonly millis: number

  constructor(dice: Dice) {
    this.kind = dice.pick(classes)
    // Long ones show what a runner says about itself, and cost a world as much as all else.
    this.millis = dice.chance(0.4) ? 12_000 + dice.below(8_000) : 1_000 + dice.below(4_000)
  }

  get isOfStartups() {
    return /^28|^53300/.test(this.kind.code)
  }

  refused(unit: Unit): { readonly code: string; readonly message: string } | undefined {
    const { code, message } = this.kind
    return this.kind.refuses(unit) ? { code, message } : undefined
  }
}
