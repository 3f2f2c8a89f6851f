/**
 * Files and compression: done synchronously, with callbacks in order, so that no thread decides who is first. What a
 * checkout may have or lack, such as a built console, is absent in every world.
 */
import fs from "node:fs"
import path from "node:path"
import zlib from "node:zlib"
import { machine } from "../machine.ts"

type Call = (...args: ReadonlyArray<unknown>) => unknown
type Calls = Record<string, Call>

const ofPaths =
  `access chmod chown copyFile exists lstat mkdir mkdtemp open opendir readFile readdir readlink realpath rename rm
    rmdir stat statfs symlink truncate unlink utimes writeFile`.split(/\s+/)
const withCallback =
  `access chmod chown close copyFile fsync fstat link lstat mkdir mkdtemp open read readFile readdir readlink
    realpath rename rm rmdir stat statfs symlink truncate unlink utimes write writeFile`.split(/\s+/)
const compressing =
  `deflate deflateRaw gzip gunzip inflate inflateRaw unzip brotliCompress brotliDecompress zstdCompress
    zstdDecompress`.split(/\s+/)

const root = path.resolve(import.meta.dirname, "../../../..")
/** Output of builds, which a checkout may lack. */
const built = /^packages\/[a-z]+\/dist(\/|$)/

/** Paths outside of a service's home that a world has asked for, for the census. */
export const foreignPaths = new Set<string>()

export const patchDisk = () => {
  const files = fs as unknown as Calls
  const promises = fs.promises as unknown as Calls
  for (const name of ofPaths) if (files[`${name}Sync`] !== undefined) limitPaths(files, `${name}Sync`)
  for (const [name, machines] of Object.entries(promises)) {
    const sync = files[`${name}Sync`]
    // An open file.
    if (typeof machines !== "function" || sync === undefined || name === "open") continue
    promises[name] = (...args) =>
      machine.world === undefined
        ? machines.apply(promises, args as Array<unknown>)
        : new Promise((resolve, reject) =>
            inTurn(
              () => sync.apply(fs, args as Array<unknown>),
              (error, value) => (error === null ? resolve(value) : reject(error as Error))
            )
          )
  }
  for (const name of withCallback) files[name] = replaced(files[name]!, files[`${name}Sync`]!)
  const methods = zlib as unknown as Calls
  for (const name of compressing) methods[name] = replaced(methods[name]!, methods[`${name}Sync`]!)
}

const limitPaths = (files: Calls, name: string) => {
  const machines = files[name]!
  files[name] = replacement(machines, (...args) => {
    if (machine.world === undefined || typeof args[0] === "number") return machines.apply(fs, args as Array<unknown>)
    const target = String(args[0])
    const inCheckout = path.relative(root, target.replace(/^file:\/\//, ""))
    if (built.test(inCheckout)) {
      if (name === "existsSync") return false
      const message = `ENOENT: no such file or directory, ${name} '${target}'`
      throw Object.assign(new Error(message), { code: "ENOENT", errno: -2, syscall: name, path: target })
    }
    // The lock file makes packages the same in every checkout.
    const isForeign = !target.includes("coffer-test-home-") && !inCheckout.startsWith("node_modules/")
    if (isForeign) foreignPaths.add(inCheckout.startsWith("..") ? target : inCheckout)
    if (name === "statfsSync") return freeDisk
    return machines.apply(fs, args as Array<unknown>)
  })
}

const blocks = 1e8
const freeDisk = { type: 0, bsize: 4_096, blocks, bfree: blocks, bavail: blocks, files: blocks, ffree: blocks }

const replaced = (machines: Call, sync: Call): Call =>
  replacement(machines, (...args) => {
    const done = args.at(-1)
    if (machine.world === undefined || typeof done !== "function") return machines(...args)
    return inTurn(() => sync(...args.slice(0, -1)), done as (error: unknown, value: unknown) => void)
  })

/** With `realpath.native`, and the properties that `promisify` uses. */
const replacement = (machines: Call, call: Call): Call => {
  for (const key of Reflect.ownKeys(machines)) {
    if (key === "length" || key === "name" || key === "prototype") continue
    Object.defineProperty(call, key, Object.getOwnPropertyDescriptor(machines, key)!)
  }
  return call
}

const inTurn = (work: () => unknown, done: (error: unknown, value?: unknown) => void) => {
  try {
    const value = work()
    setImmediate(() => done(null, value))
  } catch (error) {
    setImmediate(() => done(error))
  }
}
