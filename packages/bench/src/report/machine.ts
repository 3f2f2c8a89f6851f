/** The machine and the programs of a run, without anything that names a place. */
import { cpus, totalmem } from "node:os"
import { createRequire } from "node:module"
import { firstWarmup, firstWarmupOfNew, type Options } from "../options.ts"

export const describe = (postgres: string, options: Options): ReadonlyArray<readonly [what: string, value: string]> => {
  const processors = cpus()
  const version = (name: string) => createRequire(import.meta.url)(`${name}/package.json`).version as string
  return [
    ["Processor", `${processors[0]?.model.trim() ?? "unknown"}, ${processors.length} cores, shared by everything`],
    ["Memory", `${Math.round(totalmem() / 1_073_741_824)} GiB`],
    ["System", `${process.platform} ${process.arch}`],
    ["Node.js", process.versions.node],
    ["PostgreSQL", `${postgres}; fsync and synchronous_commit on, shared_buffers 1 GB, max_wal_size 8 GB`],
    ["Baseline", `Fastify ${version("fastify")}, pg ${version("pg")}`],
    ["Load", `${options.connections} keep-alive connections, closed loop, from another process on the same cores`],
    [
      "Rounds",
      `${options.rounds} of ${options.seconds} s after ${options.warmupSeconds} s of warm-up, ` +
        `${options.warmupSeconds * firstWarmup} s before a side's first, ` +
        `${options.warmupSeconds * firstWarmupOfNew} s before its first creates and payments; sides in turn`
    ]
  ]
}
