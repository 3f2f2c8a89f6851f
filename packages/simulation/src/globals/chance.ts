/** A world's random bytes and numbers, from its seed. */
import crypto from "node:crypto"
import { machine } from "../machine.ts"
import type { World } from "../World.ts"

export const patchChance = () => {
  const { randomBytes, randomFillSync, randomInt, randomUUID } = crypto
  const random = Math.random
  const uuid = () => (machine.world === undefined ? randomUUID() : uuidOf(machine.world))
  Object.assign(crypto, {
    randomBytes: (length: number, done?: (error: Error | null, bytes: Buffer) => void) => {
      const { world } = machine
      if (world === undefined) return done === undefined ? randomBytes(length) : randomBytes(length, done)
      const bytes = fill(world, Buffer.alloc(length))
      if (done === undefined) return bytes
      setImmediate(done, null, bytes)
    },
    randomFillSync: (target: NodeJS.ArrayBufferView, offset = 0, length = target.byteLength - offset) => {
      if (machine.world === undefined) return randomFillSync(target, offset, length)
      fill(machine.world, new Uint8Array(target.buffer, target.byteOffset + offset, length))
      return target
    },
    randomUUID: uuid,
    randomInt: (...args: [number, number?, ((error: Error | null, value: number) => void)?]) => {
      if (machine.world === undefined) return (randomInt as (...args: ReadonlyArray<unknown>) => unknown)(...args)
      const [low, high] = args[1] === undefined ? [0, args[0]] : [args[0], args[1]]
      return low + Math.floor((machine.world.entropy.next() / 2 ** 32) * (high - low))
    }
  })
  Math.random = () => (machine.world === undefined ? random() : machine.world.entropy.next() / 2 ** 32)
  const web = globalThis.crypto
  const getRandomValues = web.getRandomValues.bind(web)
  const values = <T extends Uint8Array<ArrayBuffer>>(target: T) => {
    if (machine.world === undefined) return getRandomValues(target)
    fill(machine.world, new Uint8Array(target.buffer, target.byteOffset, target.byteLength))
    return target
  }
  Object.defineProperty(web, "getRandomValues", { value: values, configurable: true })
  Object.defineProperty(web, "randomUUID", { value: uuid, configurable: true })
}

const fill = <T extends Uint8Array>(world: World, bytes: T): T => {
  for (let place = 0; place < bytes.length; place++) bytes[place] = world.entropy.next() & 255
  return bytes
}

const uuidOf = (world: World) => {
  const bytes = fill(world, Buffer.alloc(16))
  bytes[6] = (bytes[6]! & 15) | 64
  bytes[8] = (bytes[8]! & 63) | 128
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}
