/** A measurement: a load, on whom, and against which data. The list is in `scenarios.ts`. */
import type { Kind } from "./driver/requests.ts"
import type { Summary } from "./driver/summary.ts"
import type { Counters } from "./stage/counters.ts"
import type { Many, MerchantData } from "./stage/rows.ts"
import type { CommandCounts, Side, SideName } from "./stage/Sides.ts"

/** `small`: ten thousand orders in the table; `large`: as many as the options say. */
export type Size = "small" | "large"

export interface Scenario {
  readonly key: string
  readonly title: string
  readonly size: Size
  /** Scenarios with the same word are measured in turn, since their figures are compared with each other. */
  readonly pair?: string
  /** A table and a process of each side's own, apart from those of other scenarios of this size. */
  readonly place?: string
  readonly sides: ReadonlyArray<SideName>
  /** Rows that this run needs, and the requests to send; not measured. */
  readonly prepare: (stage: Stage) => Promise<Kind>
  /** So many runners of one cluster, which are asked in turn; without it the process is alone. */
  readonly runners?: number
  /** Milliseconds that each flush of the log takes longer. */
  readonly slowFlush?: number
  /** Commits wait until a standby has applied them. */
  readonly standby?: boolean
  /** Connections of the closed loop, if not those of the options. */
  readonly connections?: number
  /** Other names that call for it. */
  readonly also?: ReadonlyArray<string>
  /** It runs only where it is named. */
  readonly byName?: boolean
  /** How many times longer a side's first warm-up for this load is, if not as often as for others. */
  readonly firstWarmup?: number
}

/** Where a run takes place. */
export interface Stage {
  readonly side: Side
  readonly insertOrders: (many: Many) => Promise<unknown>
  readonly merchants: ReadonlyArray<MerchantData>
  readonly size: Size
  /** Orders that are in the table from the beginning. */
  readonly count: number
  /** How many requests the run could answer at the most. */
  readonly requestsMax: number
  /** Sends requests until there are none left. */
  readonly drive: (kind: Kind) => Promise<void>
}

/** Processor time of one run, microseconds for each request; undefined where the system does not tell. */
export interface Cpu {
  readonly side: number | undefined
  /** With the standby, where there is one. */
  readonly postgres: number | undefined
  readonly driver: number
}

export interface Round {
  readonly side: SideName
  readonly summary: Summary
  readonly cpu: Cpu
  /** The counts of one request. */
  readonly counted: Pick<Counters, "bytes" | "fibers" | "steps">
  /** Processor time of a second without requests, microseconds. */
  readonly idle: Pick<Cpu, "side" | "postgres">
  /** Commands of one request, where there are several runners. */
  readonly commands?: CommandCounts | undefined
  /** Rows of the ledger that were checked afterwards, where the run has moved money. */
  readonly ledgerRows?: number
}

/** The rounds of one scenario. */
export interface Run {
  readonly key: string
  readonly title: string
  readonly rounds: ReadonlyArray<Round>
}
