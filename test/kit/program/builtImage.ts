/**
 * The image, built by an engine that Debian has (`buildah`). No registry of images is asked: the two bases that the
 * Dockerfile names are made on this machine, of Debian's packages and of the Node and npm that run the tests.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { Effect } from "effect"

const repository = path.resolve(import.meta.dirname, "../../..")
const certificates = "/etc/ssl/certs/ca-certificates.crt"

const lacks = (program: string) => spawnSync(program, ["--version"]).error !== undefined
const missing = ["buildah", "mmdebstrap", "npm"].filter(lacks)

/** Why the image cannot be built here; undefined where it can. */
export const why: string | undefined =
  missing.length > 0
    ? `left out: ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not installed`
    : process.getuid?.() !== 0
      ? "left out: bases are made as root"
      : undefined

/** The engine keeps all that it has in a folder of the test. */
const engineIn = (folder: string) => {
  const files = {
    CONTAINERS_STORAGE_CONF: `[storage]\ndriver = "vfs"\ngraphroot = "${folder}/graph"\nrunroot = "${folder}/run"\n`,
    CONTAINERS_REGISTRIES_CONF: "unqualified-search-registries = []\n",
    CONTAINERS_CONF: ""
  }
  const env: NodeJS.ProcessEnv = { ...process.env, TMPDIR: folder, BUILDAH_ISOLATION: "chroot" }
  for (const [name, text] of Object.entries(files)) {
    env[name] = path.join(folder, name.toLowerCase())
    writeFileSync(env[name]!, text)
  }
  const policy = path.join(folder, "policy.json")
  writeFileSync(policy, JSON.stringify({ default: [{ type: "insecureAcceptAnything" }] }))
  return { env, words: ["--signature-policy", policy] }
}

const policed: ReadonlySet<string> = new Set(["from", "add", "commit", "bud"])

export interface Running {
  readonly said: { text: string }
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
  /** Starts a container's program, with the user, the folder and the environment of the image. */
  readonly run: (words: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => Running
}

const build = async (folder: string): Promise<Built> => {
  const engine = engineIn(folder)
  const run = (program: string, words: ReadonlyArray<string>, env: NodeJS.ProcessEnv = engine.env) =>
    new Promise<string>((resolve, reject) => {
      const child = spawn(program, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] })
      let [out, all] = ["", ""]
      child.stdout.setEncoding("utf8").on("data", (text: string) => void ((out += text), (all += text)))
      child.stderr.setEncoding("utf8").on("data", (text: string) => (all += text))
      child.on("error", reject)
      child.once("close", (code) =>
        code === 0
          ? resolve(out.trim())
          : reject(new Error(`${program} ${words.join(" ")} ended with ${code}:\n${all}`))
      )
    })
  // Commands that read or write an image ask for a policy; the others do not know the word.
  const buildah = (command: string, ...words: ReadonlyArray<string>) =>
    run("buildah", [command, ...(policed.has(command) ? engine.words : []), ...words])

  const debian = path.join(folder, "debian.tar")
  const included = "--include=ca-certificates,libatomic1,libstdc++6"
  await run("mmdebstrap", ["--mode=root", "--variant=minbase", "--quiet", included, "bookworm", debian])
  const base = await buildah("from", "scratch")
  await buildah("add", "-q", base, debian, "/")
  await buildah("commit", "-q", base, "docker.io/library/debian:bookworm-slim")
  const npm = realpathSync(path.join(path.dirname(realpathSync(await run("which", ["npm"]))), ".."))
  await buildah("add", "-q", base, realpathSync(process.execPath), "/usr/bin/node")
  await buildah("add", "-q", base, npm, "/usr/lib/node_modules/npm")
  await buildah("run", base, "--", "ln", "-s", "/usr/lib/node_modules/npm/bin/npm-cli.js", "/usr/bin/npm")
  if (existsSync(certificates)) await buildah("config", "--env", `NODE_EXTRA_CA_CERTS=${certificates}`, base)
  await buildah("commit", "-q", base, "docker.io/library/node:22-bookworm-slim")
  await buildah("rm", base)

  const trusted = existsSync(certificates) ? ["-v", `${certificates}:${certificates}:ro`] : []
  const ways = ["--pull-never", "--network", "host", "--format", "docker", ...trusted]
  await buildah("bud", ...ways, "-f", path.join(repository, "docker/Dockerfile"), "-t", "coffer", repository)

  const container = await buildah("from", "--pull-never", "localhost/coffer")
  const { Docker } = JSON.parse(await buildah("inspect", "--type", "image", "localhost/coffer"))
  return {
    config: Docker.config,
    health: Docker.config.Healthcheck.Test.slice(1),
    run: (words, given) => {
      const set = Object.entries(given).flatMap(([name, value]) => ["--env", `${name}=${value}`])
      const all = ["run", "--network", "host", ...set, container, "--", ...words]
      const child = spawn("buildah", all, { env: engine.env, stdio: ["ignore", "pipe", "pipe"], detached: true })
      const said = { text: "" }
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => (said.text += text))
      }
      const ended = new Promise<number | null>((resolve) => {
        child.on("error", ({ message }) => {
          said.text += message
          resolve(null)
        })
        child.once("close", resolve)
      })
      const stop = () => {
        // The engine and the program are a group of their own.
        if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGTERM")
        return ended
      }
      return { said, ended, stop }
    }
  }
}

export const built = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(realpathSync(tmpdir()), "coffer-image-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
).pipe(
  Effect.flatMap((folder) =>
    Effect.promise(() => {
      const own = path.join(folder, "engine")
      mkdirSync(own)
      return build(own)
    })
  )
)
