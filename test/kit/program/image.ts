/**
 * The image without an engine: what docker/Dockerfile.dockerignore lets in, and the first stage of docker/Dockerfile
 * played in a folder. The stage's words are read from the file, so a line that is added there is played too.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync } from "node:fs"
import path from "node:path"

const repository = path.resolve(import.meta.dirname, "../../..")
const read = (file: string) => readFileSync(path.join(repository, file), "utf8")

/** The rules in their order. `*` stands for any name within one folder, as it does for Docker. */
const rules = read("docker/Dockerfile.dockerignore")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => ({
    lets: line.startsWith("!"),
    pattern: new RegExp(
      `^${line
        .replace(/^!/, "")
        .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
        .replaceAll("*", "[^/]*")}(/|$)`
    )
  }))

/** Whether the engine is given a file: the last rule decides that matches the file or a folder in which it is. */
export const isLetIn = (file: string): boolean => rules.findLast(({ pattern }) => pattern.test(file))?.lets ?? true

/** All that the engine is given, out of what is kept in the repository. */
export const context = (): ReadonlyArray<string> =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: repository, encoding: "utf8" })
    .trimEnd()
    .split("\n")
    .filter(isLetIn)

export const dockerfile = read("docker/Dockerfile")
const stages = dockerfile.split(/^FROM /m).slice(1)

/** The files that are copied from the repository, in all stages. */
export const copied = (stage = dockerfile): ReadonlyArray<string> =>
  Array.from(stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, sources]) => sources!.split(" ")).flat()

/** Plays the first stage in a folder, and puts into `app` what the last stage takes of it. A failure tells its output. */
export const build = (folder: string, app: string) => {
  const files = context()
  const copy = (source: string, to: string) => {
    const found = files.filter((file) => file === source || file.startsWith(`${source}/`))
    if (found.length === 0) throw new Error(`COPY ${source}: the ignore file lets nothing of it in`)
    for (const file of found) {
      const target = path.join(folder, to, path.relative(source, file))
      mkdirSync(path.dirname(target), { recursive: true })
      cpSync(path.join(repository, file), target)
    }
  }
  for (const line of stages[0]!.split("\n")) {
    const [, words, to] = /^COPY (?!--from)(.+) (\S+)$/.exec(line) ?? []
    for (const source of words?.split(" ") ?? []) copy(source, to === "./" ? source : to!)
    const [, command] = /^RUN (.*)$/.exec(line) ?? []
    if (command !== undefined) execFileSync("sh", ["-c", command], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] })
  }
  // The last stage installs packages of Debian besides, which this machine has.
  const [, taken] = /^COPY --from=build \/app\/(\S+) \/app$/m.exec(stages.at(-1)!)!
  cpSync(path.join(folder, taken!), app, { recursive: true })
  execFileSync("chmod", ["-R", "a-w,a+rX", app])
}

/** The image's command, its user, and its environment. `/app` and `/data` are folders of the test. */
export const started = (app: string, data: string) => {
  const last = stages.at(-1)!.replaceAll(/\\\n\s*/g, " ")
  const words = (name: string): ReadonlyArray<string> => JSON.parse(new RegExp(`^${name} (.*)$`, "m").exec(last)![1]!)
  const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(last)!
  const [, set] = /^ENV (.*)$/m.exec(last)!
  const env = Object.fromEntries(
    set!.split(/\s+/).map((each) => {
      const [name = "", value = ""] = each.split("=")
      return [
        name,
        value
          .replace("$PATH", process.env["PATH"] ?? "")
          .replace(/^\/app/, app)
          .replace(/^\/data/, data)
      ]
    })
  )
  return {
    entry: words("ENTRYPOINT").map((word) => word.replace(/=\/app$/, `=${app}`).replace(/=\/data$/, `=${data}`)),
    command: words("CMD"),
    health: words("HEALTHCHECK .* CMD"),
    uid: Number(uid),
    gid: Number(gid),
    env
  }
}
