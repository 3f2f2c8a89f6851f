/** A measurement: a load, on whom, and against which data. The list is in `scenarios.ts`. */
import type { Kind } from "./driver/requests.ts"
import type { Summary } from "./driver/summary.ts"
import type { Balancing } from "./stage/balancer.ts"
import type { Counters } from "./stage/counters.ts"
import type { Many, MerchantData } from "./stage/rows.ts"
import type { CommandCounts, Side, SideName } from "./stage/Sides.ts"

/** `small`: ten thousand orders in the table; `large`: as many as the options say. */
export type Size = "small" | "large"

export interface Scenario {
  readonly key: string
  readonly title: string
  readonly size: Size
  /** Scenarios of the same group are measured in turn, since their figures are compared with each other. */
  readonly pair?: string
  /** Each side has its own table and process, apart from those of other scenarios of this size. */
  readonly place?: string
  readonly sides: ReadonlyArray<SideName>
  /** Rows that this run needs, and the requests to send; not measured. */
  readonly prepare: (stage: Stage) => Promise<Kind>
  /** The number of runners of one cluster, called in turn; without it a single process. */
  readonly runners?: number
  /** The runners stand behind HAProxy. */
  readonly balancing?: Balancing
  /** Milliseconds by which each flush of the log is delayed. */
  readonly slowFlush?: number
  /** Commits wait until a standby has applied them. */
  readonly standby?: boolean
  /** Connections of the closed loop; default: those of the options. */
  readonly connections?: number
  /** Other names that select it. */
  readonly also?: ReadonlyArray<string>
  /** It runs only if it is named. */
  readonly byName?: boolean
  /** How many times longer a side's first warm-up for this load is; default: as for other loads. */
  readonly firstWarmup?: number
}

/** Where a run takes place. */
export interface Stage {
  readonly side: Side
  readonly insertOrders: (many: Many) => Promise<unknown>
  readonly merchants: ReadonlyArray<MerchantData>
  readonly size: Size
  /** Orders in the table at the start. */
  readonly count: number
  /** The maximum of requests that the run could answer. */
  readonly requestsMax: number
  /** Sends requests until there are none left. */
  readonly drive: (kind: Kind) => Promise<void>
}

/** CPU time of one run, microseconds per request; undefined if the system does not report it. */
export interface Cpu {
  readonly side: number | undefined
  /** Including the standby, if there is one. */
  readonly postgres: number | undefined
  readonly driver: number
}

export interface Round {
  readonly side: SideName
  readonly summary: Summary
  readonly cpu: Cpu
  /** The counts of one request. */
  readonly counted: Pick<Counters, "bytes" | "fibers" | "steps">
  /** CPU time of a second without requests, microseconds. */
  readonly idle: Pick<Cpu, "side" | "postgres">
  /** Commands per request, with several runners. */
  readonly commands?: CommandCounts | undefined
  /** Ledger rows that were checked afterwards, if the run has moved money. */
  readonly ledgerRows?: number
}

/** The rounds of one scenario. */
export interface Run {
  readonly key: string
  readonly title: string
  readonly rounds: ReadonlyArray<Round>
}
