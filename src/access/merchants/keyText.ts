/**
 * The format of a key (spec: Authentication, 2; silences: U28): a prefix for its environment, 43 random characters, and
 * 6 of a checksum, by which a scanner of sources recognizes a key offline. Older keys have no checksum.
 */
import { crc32 } from "node:zlib"
import type { Mode } from "@coffer/model/Ids"
import { Effect } from "effect"
import type { Secrets } from "../../platform/runtime/Secrets.ts"

const keyPrefixes = { sandbox: "svc_test_", live: "svc_live_" } as const

export const isKey = (text: string) => text.startsWith(keyPrefixes.sandbox) || text.startsWith(keyPrefixes.live)

/** Random characters after the prefix. Older keys end with them, newer ones have the checksum behind. */
const randomLength = 43

/** Whether it may be a key that was copied whole. */
export const isWellWritten = (text: string): boolean => {
  const prefix = Object.values(keyPrefixes).find((each) => text.startsWith(each)) ?? ""
  const length = text.length - prefix.length
  if (length === randomLength) return true
  return length === randomLength + checksumLength && text.endsWith(checksumOf(text.slice(0, -checksumLength)))
}

export const newKey = (secrets: Secrets["Service"], mode: Mode) =>
  Effect.map(secrets.random(32), (text) => withChecksum(keyPrefixes[mode] + text))

const withChecksum = (text: string): string => text + checksumOf(text)

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const checksumLength = 6

/** CRC-32 of everything before it, in base 62 with leading zeros. */
export const checksumOf = (text: string): string => {
  let written = ""
  for (let rest = crc32(text); written.length < checksumLength; rest = Math.floor(rest / digits.length)) {
    written = digits[rest % digits.length]! + written
  }
  return written
}
