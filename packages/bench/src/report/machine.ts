/** The machine and the programs of a run, without names of hosts or folders. */
import { execFileSync } from "node:child_process"
import { cpus, totalmem } from "node:os"
import { createRequire } from "node:module"
import { firstWarmup, firstWarmupOfNew, type Options } from "../options.ts"
import type { Head } from "./raw.ts"

export const headOf = (postgres: string, options: Options): Head => {
  const { before, from: _from, raw: _raw, ...others } = options
  const commit = commitOf(import.meta.dirname)
  return {
    at: new Date().toISOString(),
    commit,
    ...(before === undefined ? {} : { before: commitOf(before) }),
    machine: describe(postgres, options, commit),
    options: others
  }
}

/** With a mark if files differ from the commit. */
const commitOf = (folder: string): string => {
  const git = (...words: ReadonlyArray<string>) =>
    execFileSync("git", ["-C", folder, ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  try {
    return (
      git("rev-parse", "HEAD") + (git("status", "--porcelain", "--untracked-files=no") === "" ? "" : " and changes")
    )
  } catch {
    return "unknown"
  }
}

const describe = (postgres: string, options: Options, commit: string): Head["machine"] => {
  const processors = cpus()
  const version = (name: string) => createRequire(import.meta.url)(`${name}/package.json`).version as string
  return [
    ["Commit", commit.slice(0, 8)],
    ["Processor", `${processors[0]?.model.trim() ?? "unknown"}, ${processors.length} cores, shared by everything`],
    ["Memory", `${Math.round(totalmem() / 1_073_741_824)} GiB`],
    ["System", `${process.platform} ${process.arch}`],
    ["Node.js", process.versions.node],
    ["PostgreSQL", `${postgres}; fsync and synchronous_commit on, shared_buffers 1 GB`],
    ["Baseline", `Fastify ${version("fastify")}, pg ${version("pg")}`],
    ["Load", `${options.connections} keep-alive connections from another process on the same cores`],
    [
      "Rounds",
      `${options.rounds} of ${options.seconds} s after ${options.warmupSeconds} s of warm-up, ` +
        `${options.warmupSeconds * firstWarmup} s before a side's first, ` +
        `${options.warmupSeconds * firstWarmupOfNew} s before its first creates and payments; sides in turn`
    ]
  ]
}
