/** Files and compression: done synchronously, with callbacks in order, so that no thread decides who is first. */
import fs from "node:fs"
import zlib from "node:zlib"
import { machine } from "../machine.ts"

type Call = (...args: ReadonlyArray<unknown>) => unknown
type Calls = Record<string, Call>

const withCallback =
  `access chmod chown close copyFile fsync fstat link lstat mkdir mkdtemp open read readFile readdir readlink
    realpath rename rm rmdir stat statfs symlink truncate unlink utimes write writeFile`.split(/\s+/)
const compressing =
  `deflate deflateRaw gzip gunzip inflate inflateRaw unzip brotliCompress brotliDecompress zstdCompress
    zstdDecompress`.split(/\s+/)

export const patchDisk = () => {
  const files = fs as unknown as Calls
  const promises = fs.promises as unknown as Calls
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

const replaced = (machines: Call, sync: Call): Call => {
  const call: Call = (...args) => {
    const done = args.at(-1)
    if (machine.world === undefined || typeof done !== "function") return machines(...args)
    return inTurn(() => sync(...args.slice(0, -1)), done as (error: unknown, value: unknown) => void)
  }
  // `realpath.native`, and the properties that `promisify` uses.
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
