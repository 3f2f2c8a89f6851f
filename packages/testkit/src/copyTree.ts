/** Copies a folder with its modes and owners, and measures it, so that one walk verifies the copy. */
import { chmodSync, chownSync, constants, copyFileSync, lstatSync, mkdirSync, readdirSync } from "node:fs"
import path from "node:path"

export interface Size {
  readonly files: number
  readonly bytes: number
}

/** `left`: names that are not copied, at any depth. */
export const copyTree = (from: string, to: string, left: ReadonlySet<string>): Size => {
  const stats = lstatSync(from)
  const { gid, mode, size, uid } = stats
  if (!stats.isDirectory()) {
    // Uses copy-on-write if the file system supports it.
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
    keepOwner(to, uid, gid)
    return { files: 1, bytes: size }
  }
  mkdirSync(to)
  const parts = readdirSync(from)
    .filter((name) => !left.has(name))
    .map((name) => copyTree(path.join(from, name), path.join(to, name), left))
  chmodSync(to, mode)
  keepOwner(to, uid, gid)
  return {
    files: parts.reduce((sum, { files }) => sum + files, 0),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0)
  }
}

/** Only as root are there files of other users: Postgres' data, since it does not run as root. */
const keepOwner = (file: string, uid: number, gid: number) => {
  if (process.getuid?.() === 0) chownSync(file, uid, gid)
}
