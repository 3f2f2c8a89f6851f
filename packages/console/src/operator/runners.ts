/** Which runners are missing: they ended without a shutdown, and no other has started since. Pure. */
import type { ClusterResource } from "@coffer/contract/Cluster"

type Runner = Pick<
  ClusterResource["runners"][number],
  "address" | "instance_id" | "last_heartbeat_at" | "started_at" | "state"
>

export const nameOfRunner = ({ address, instance_id }: Pick<Runner, "address" | "instance_id">) =>
  address ?? instance_id

/** A runner that started later takes the place of one that is gone. */
const missing = (runners: ReadonlyArray<Runner>): ReadonlyArray<Runner> => {
  const started = runners.filter(({ state }) => state !== "gone").map(({ started_at }) => Date.parse(started_at))
  return runners
    .filter(({ state }) => state === "gone")
    .toSorted((one, other) => one.last_heartbeat_at.localeCompare(other.last_heartbeat_at))
    .filter(({ last_heartbeat_at }) => {
      const next = started.filter((at) => at > Date.parse(last_heartbeat_at)).toSorted((one, other) => one - other)[0]
      if (next !== undefined) started.splice(started.indexOf(next), 1)
      return next === undefined
    })
}

/** How many runners are up, out of those that should be, and the ones that are not. */
export const runnersUp = (runners: ReadonlyArray<Runner>) => {
  const up = runners.filter(({ state }) => state === "alive").length
  const down = [...runners.filter(({ state }) => state === "silent"), ...missing(runners)]
  return { up, all: up + down.length, down }
}
