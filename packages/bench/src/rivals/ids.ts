/**
 * New ids in the service's form: a prefix, ten digits of time, sixteen random ones. Made the fast way: random bytes are
 * drawn 4 kB at a time, and the digits of a millisecond are computed once.
 */
import { randomFillSync } from "node:crypto"

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const pool = Buffer.alloc(4_096)
let drawn = pool.length
let lastMillis = -1
let lastTime = ""

const timeOf = (millis: number): string => {
  if (millis === lastMillis) return lastTime
  let time = ""
  for (let rest = millis, index = 0; index < 10; index++) {
    time = alphabet[rest % 32]! + time
    rest = Math.floor(rest / 32)
  }
  lastMillis = millis
  lastTime = time
  return time
}

/** 26 digits, the last six of them zeros: a writer of several rows counts up from there in hexadecimal. */
export const idBody = (millis = Date.now()): string => {
  if (drawn + 10 > pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  let tail = ""
  for (let index = 0; index < 10; index++) tail += alphabet[pool[drawn++]! & 31]!
  return `${timeOf(millis)}${tail}000000`
}

export const newId = (prefix: string): string => prefix + idBody()

/** The next id in a wallet. */
export const idAfter = (body: string): string =>
  body.slice(0, -6) + (Number.parseInt(body.slice(-6), 16) + 1).toString(16).toUpperCase().padStart(6, "0")
