/**
 * The image, built by an engine that Debian has (`buildah`). No registry of images is asked: the two bases that the
 * Dockerfile names are made on this machine, of Debian's packages and of the Node and npm that run the tests.
 */
import { spawn, spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import path from "node:path"
import { Effect } from "effect"
import { signalAll } from "./signalAll.ts"

const repository = path.resolve(import.meta.dirname, "../../..")
const certificates = "/etc/ssl/certs/ca-certificates.crt"
const trusted = "/usr/local/share/trusted.crt"

const isMissing = (program: string) => spawnSync(program, ["--version"]).error !== undefined
const missing = ["buildah", "mmdebstrap", "npm"].filter(isMissing)

/** Why the image cannot be built here; undefined where it can. */
export const leftOut: string | undefined =
  missing.length > 0
    ? `left out: it needs ${missing.join(" and ")}`
    : process.getuid?.() !== 0
      ? "left out: bases are made as root"
      : undefined

export interface Running {
  readonly pid: number
  /** All that it writes, and what of it is standard output. */
  readonly said: { text: string; out: string }
  /** The exit code. Null when a signal ended it. */
  readonly ended: Promise<number | null>
  readonly stop: () => Promise<number | null>
}

export interface Built {
  readonly config: {
    readonly Entrypoint: ReadonlyArray<string>
    readonly Cmd: ReadonlyArray<string>
    readonly User: string
  }
  readonly health: ReadonlyArray<string>
  /** Starts a program in the container, with the user, the folder and the environment of the image. */
  readonly run: (words: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => Running
}

/** A program with all that it starts: they are a group of their own, which `stop` ends. */
const start = (program: string, words: ReadonlyArray<string>, env: NodeJS.ProcessEnv, folder: string): Running => {
  const child = spawn(program, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], detached: true })
  const said = { text: "", out: "" }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said.text += text
      if (stream === child.stdout) said.out += text
    })
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", ({ message }) => {
      said.text += message
      resolve(null)
    })
    child.once("close", resolve)
  })
  const stop = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      signalAll([-child.pid], "SIGTERM")
    return ended
  }
  return { pid: child.pid!, said, ended, stop }
}

/** The engine keeps all that it has in a folder of the test. */
const engineIn = (folder: string) => {
  const own = path.join(folder, "engine")
  mkdirSync(own)
  const files = {
    CONTAINERS_STORAGE_CONF: `[storage]\ndriver = "vfs"\ngraphroot = "${own}/graph"\nrunroot = "${own}/run"\n`,
    CONTAINERS_REGISTRIES_CONF: "unqualified-search-registries = []\n",
    CONTAINERS_CONF: ""
  }
  const env: NodeJS.ProcessEnv = { ...process.env, TMPDIR: folder, BUILDAH_ISOLATION: "chroot" }
  for (const [name, text] of Object.entries(files)) {
    env[name] = path.join(own, name.toLowerCase())
    writeFileSync(env[name]!, text)
  }
  // It copies less, and does not stand on each kind of file system.
  const overlay = { ...env, STORAGE_DRIVER: "overlay" }
  if (spawnSync("buildah", ["info"], { env: overlay }).status === 0) env["STORAGE_DRIVER"] = "overlay"
  const policy = path.join(own, "policy.json")
  writeFileSync(policy, JSON.stringify({ default: [{ type: "insecureAcceptAnything" }] }))
  const done = async (signal: AbortSignal, program: string, ...words: ReadonlyArray<string>) => {
    signal.throwIfAborted()
    const { ended, said, stop } = start(program, words, env, folder)
    const abort = () => void stop()
    signal.addEventListener("abort", abort)
    const code = await ended
    signal.removeEventListener("abort", abort)
    if (code !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${code}:\n${said.text}`)
    return said.out.trim()
  }
  /** Commands that read or write an image ask for a policy; the others do not know the word. */
  const buildah = (signal: AbortSignal, command: string, ...words: ReadonlyArray<string>) =>
    done(signal, "buildah", command, ...(policed.has(command) ? ["--signature-policy", policy] : []), ...words)
  return { env, done, buildah }
}
type Engine = ReturnType<typeof engineIn>

const policed: ReadonlySet<string> = new Set(["from", "add", "commit", "bud"])

const makeBases = async (folder: string, { buildah, done }: Engine, signal: AbortSignal) => {
  const debian = path.join(folder, "debian.tar")
  // As little as the slim images have: what else is needed, the Dockerfile installs.
  const slim = ["man", "doc", "locale"].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`)
  await done(signal, "mmdebstrap", "--mode=root", "--variant=minbase", "--quiet", ...slim, "bookworm", debian)
  const base = await buildah(signal, "from", "scratch")
  await buildah(signal, "add", "-q", base, debian, "/")
  rmSync(debian)
  await buildah(signal, "commit", "-q", base, "docker.io/library/debian:bookworm-slim")
  const npm = realpathSync(path.join(path.dirname(realpathSync(await done(signal, "which", "npm"))), ".."))
  await buildah(signal, "add", "-q", base, realpathSync(process.execPath), "/usr/bin/node")
  await buildah(signal, "add", "-q", base, npm, "/usr/lib/node_modules/npm")
  await buildah(signal, "run", base, "--", "ln", "-s", "/usr/lib/node_modules/npm/bin/npm-cli.js", "/usr/bin/npm")
  // A registry of packages may have a certificate that this machine trusts and Node does not know.
  if (existsSync(certificates)) {
    await buildah(signal, "add", "-q", base, certificates, trusted)
    await buildah(signal, "config", "--env", `NODE_EXTRA_CA_CERTS=${trusted}`, base)
  }
  await buildah(signal, "commit", "-q", base, "docker.io/library/node:22-bookworm-slim")
  await buildah(signal, "rm", base)
}

const build = async (folder: string, engine: Engine, signal: AbortSignal): Promise<Built> => {
  const { buildah, env } = engine
  await makeBases(folder, engine, signal)
  const ways = ["--pull-never", "--network", "host", "--format", "docker"]
  await buildah(signal, "bud", ...ways, "-f", path.join(repository, "docker/Dockerfile"), "-t", "coffer", repository)
  const container = await buildah(signal, "from", "--pull-never", "localhost/coffer")
  const { Docker } = JSON.parse(await buildah(signal, "inspect", "--type", "image", "localhost/coffer"))
  return {
    config: Docker.config,
    health: Docker.config.Healthcheck.Test.slice(1),
    run: (words, given) => {
      const set = Object.entries(given).flatMap(([name, value]) => ["--env", `${name}=${value}`])
      return start("buildah", ["run", "--network", "host", ...set, container, "--", ...words], env, folder)
    }
  }
}

/** On a disk: the folders of the tests may be memory, and an engine fills gigabytes. */
const folders = "/var/tmp"

/** Rebuilt. The scope's close removes all that the engine has. */
export const built = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(path.join(folders, "coffer-image-"))
    return { folder, engine: engineIn(folder) }
  }),
  ({ engine, folder }) =>
    Effect.sync(() => {
      spawnSync("buildah", ["rm", "--all"], { env: engine.env })
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    })
).pipe(Effect.flatMap(({ engine, folder }) => Effect.promise((signal) => build(folder, engine, signal))))

export interface Member {
  readonly pid: number
  readonly command: string
  readonly user: string
}

/** The processes of a group. */
export const membersOf = (group: number): ReadonlyArray<Member> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8")
        const stat = read("stat")
        const [state, , itsGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
        if (Number(itsGroup) !== group || state === "Z") return []
        const [, user] = /^Uid:\t(\d+)/m.exec(read("status"))!
        return [{ pid: Number(pid), command: read("cmdline").replaceAll("\0", " ").trim(), user: user! }]
      } catch {
        // It has ended meanwhile.
        return []
      }
    })
