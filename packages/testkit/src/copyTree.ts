/** Copies a folder with its modes and owners, and measures it, so that one walk shows whether the copy is whole. */
import { chmodSync, chownSync, constants, copyFileSync, lstatSync, mkdirSync, readdirSync } from "node:fs"
import path from "node:path"

export interface Size {
  readonly files: number
  readonly bytes: number
}

/** `left`: names that are not copied, wherever they are. */
export const copyTree = (from: string, to: string, left: ReadonlySet<string>): Size => {
  const stats = lstatSync(from)
  const { gid, mode, size, uid } = stats
  if (!stats.isDirectory()) {
    // A file system that can shares the blocks until one side is written.
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

/** Only root has files of others: the data of Postgres, which does not run as root. */
const keepOwner = (file: string, uid: number, gid: number) => {
  if (process.getuid?.() === 0) chownSync(file, uid, gid)
}
