/** A side of the race: a process with so many deliveries to make. */
export interface Racer {
  readonly name: RacerName
  readonly pid: number
  /** Its database; undefined if it has none. */
  readonly database: string | undefined
  /** Deliveries that are to be made, and none of them is made yet. */
  readonly fill: (run: string, count: number) => Promise<void>
  /** Deliveries are made from now on, or very soon. */
  readonly go: () => Promise<void>
  /** Resolves when the outcome of each delivery is stored. */
  readonly stored: () => Promise<void>
  readonly rest: () => Promise<void>
  readonly stop: () => Promise<void>
}

export type RacerName = "service" | "before" | "plain" | "graphile" | "pg-boss" | "bullmq"

export const racerTitles: Record<RacerName, string> = {
  service: "Coffer",
  before: "Coffer, before",
  plain: "undici alone, no queue",
  graphile: "graphile-worker",
  "pg-boss": "pg-boss",
  bullmq: "BullMQ"
}
