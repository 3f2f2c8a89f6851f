/** A side of the race: a process with a number of deliveries to make. */
export interface Racer {
  readonly name: RacerName
  readonly pid: number
  /** Its database; undefined if it has none. */
  readonly database: string | undefined
  /** Deliveries to make, none of which has begun. */
  readonly fill: (run: string, count: number) => Promise<void>
  /** Starts the deliveries, now or very soon. */
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
