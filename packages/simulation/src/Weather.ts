/**
 * The faults in a world: random, from their own dice, and numbered, so that a world can be replayed without some of
 * them.
 */
import { type Dice, diceOf } from "./dice.ts"

/** The probability of each: per statement, or per world. */
export interface Chances {
  /** Per statement: its session is cut before Postgres receives it, or before the service gets the answer. */
  readonly cut: number
  /** Per write statement: it is delayed for seconds. */
  readonly slow: number
  /** Per write statement: it holds its locks for a while before the commit. */
  readonly late: number
  /** Per world: a runner is killed, and another one replaces it. */
  readonly kill: number
  /** Per world: a runner stops in good order, and another one replaces it. */
  readonly stop: number
  /** Per world: Postgres refuses a kind of statement for some seconds. */
  readonly refuse: number
  /** Per write from one runner to another: it is late, or its connection breaks before or after it. */
  readonly line: number
  /** Per world: a runner is paused, maybe for longer than its locks live. */
  readonly pause: number
  /** Per world: the clocks of the runners are apart. */
  readonly clock: number
  /** Per world: another program takes locks of rows, or changes a table. */
  readonly lock: number
  /** Per write that a world has seen at most once: its session is cut. Rare ones are met like frequent ones. */
  readonly aim: number
  /** Per world: a runner loses the session in which it hears of changes, and gets no other one for a while. */
  readonly deaf: number
}
export type Kind = keyof Chances

export const calm: Chances = {
  cut: 0,
  slow: 0,
  late: 0,
  kill: 0,
  stop: 0,
  refuse: 0,
  line: 0,
  pause: 0,
  clock: 0,
  lock: 0,
  aim: 0,
  deaf: 0
}

/** How likely each is where it is played, and what a world is mostly about. */
const strengths: Readonly<Record<Kind, ReadonlyArray<number>>> = {
  cut: [0.02, 0.05],
  slow: [0.05],
  late: [0.15, 0.4],
  kill: [1],
  stop: [1],
  refuse: [1],
  line: [0.05, 0.15],
  pause: [1],
  clock: [1],
  lock: [1],
  aim: [0.05, 0.1],
  deaf: [1]
}
const kinds = Object.keys(strengths) as ReadonlyArray<Kind>
/** Kinds that came later: a seed has one of them for a theme, or the theme that it had before. */
const later: ReadonlyArray<Kind> = ["aim", "deaf"]
const laterChance = 0.15
/** Those with many forms come more often. */
const themes: ReadonlyArray<Kind> = [...kinds.filter((kind) => !later.includes(kind)), "refuse", "pause", "lock"]
/** What makes a theme show more: another program's locks meet those of late commits. */
const companions: Partial<Record<Kind, Kind>> = { lock: "late" }
/** One world in so many has everything that its dice give. Most have their theme and little else, and cost less. */
const stormsOneIn = 6
const besides = { storm: 0.5, other: 0.15 }

/** What a seed's world is about. */
export const themeOf = (seed: number): Kind => {
  const dice = diceOf(seed ^ 0x3c2b1a09)
  return dice.chance(laterChance) ? dice.pick(later) : diceOf(seed ^ 0x510e527f).pick(themes)
}

/** The plan that follows from a seed. */
export const chancesOf = (seed: number): Chances => {
  const dice = diceOf(seed ^ 0x2545f491)
  const theme = themeOf(seed)
  const others = dice.below(stormsOneIn) === 0 ? besides.storm : besides.other
  const chosen = kinds.map((kind) => {
    const strength = dice.pick(strengths[kind])
    return [kind, dice.chance(others) || kind === theme || kind === companions[theme] ? strength : 0]
  })
  return Object.fromEntries(chosen) as Record<Kind, number>
}

export interface Event {
  readonly no: number
  readonly kind: Kind
  readonly about: string
}

/** The maximum of cuts and delays in a world: a service that never gets through shows little. */
const troublesMax = 5
const troubles: ReadonlySet<Kind> = new Set(["cut", "slow", "line", "aim"])

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
    const isTrouble = troubles.has(kind)
    if (!this.isOn || this.chances[kind] === 0 || (isTrouble && this.troubles === 0)) return false
    if (!this.dice.chance(this.chances[kind])) return false
    if (isTrouble) this.troubles--
    const no = ++this.count
    if (this.without.has(no)) return false
    this.events.push({ no, kind, about: about() })
    return true
  }
}
