/**
 * What goes wrong in a world: by chance, from dice of its own, and each with a number, so that a world can be played
 * again without some of it.
 */
import { type Dice, diceOf } from "./dice.ts"

/** How likely each is: of a statement, or of a world. */
export interface Chances {
  /** Of a statement: its session is cut before Postgres has it, or before the service has the answer. */
  readonly cut: number
  /** Of a statement that writes: it is on its way for seconds. */
  readonly slow: number
  /** Of a statement that writes: it holds its locks for a while before it is committed. */
  readonly late: number
  /** Of a world: a runner is killed, and another one starts in its place. */
  readonly kill: number
  /** Of a world: a runner stops in good order, and another one starts in its place. */
  readonly stop: number
  /** Of a world: Postgres refuses a kind of statement for some seconds. */
  readonly refuse: number
}
export type Kind = keyof Chances

export const calm: Chances = { cut: 0, slow: 0, late: 0, kill: 0, stop: 0, refuse: 0 }

/** What a seed alone says. */
export const chancesOf = (seed: number): Chances => {
  const dice = diceOf(seed ^ 0x2545f491)
  return {
    cut: dice.pick([0, 0.01, 0.03]),
    slow: dice.pick([0, 0, 0.03]),
    late: dice.pick([0, 0.1, 0.4]),
    kill: dice.pick([0, 0, 1]),
    stop: dice.pick([0, 0, 1]),
    refuse: dice.pick([0, 0, 0, 1])
  }
}

export interface Event {
  readonly no: number
  readonly kind: Kind
  readonly about: string
}

/** Cuts and slow ways in a world at most: a service that never gets through shows little. */
const troublesMax = 5

export class Weather {
  /** While the story begins and ends, nothing goes wrong. */
  isOn = false
  readonly events: Array<Event> = []
  readonly dice: Dice
  private readonly chances: Chances
  private readonly without: ReadonlySet<number>
  private count = 0
  private troubles: number

  /** `without`: numbers of events that are left out. */
  constructor(dice: Dice, chances: Chances, without: ReadonlySet<number>) {
    this.dice = dice
    this.chances = chances
    this.without = without
    this.troubles = 1 + dice.below(troublesMax)
  }

  happens(kind: Kind, about: () => string): boolean {
    const isTrouble = kind === "cut" || kind === "slow"
    if (!this.isOn || this.chances[kind] === 0 || (isTrouble && this.troubles === 0)) return false
    if (!this.dice.chance(this.chances[kind])) return false
    if (isTrouble) this.troubles--
    const no = ++this.count
    if (this.without.has(no)) return false
    this.events.push({ no, kind, about: about() })
    return true
  }
}
