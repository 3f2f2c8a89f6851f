/** Process information and measurements: the same in each world. */
import os from "node:os"
import v8 from "node:v8"
import { machine } from "../machine.ts"

const bytes = 1e8
const memory = { rss: bytes, heapTotal: bytes, heapUsed: bytes, external: 0, arrayBuffers: 0 }

export const patchProcess = () => {
  const { pid } = process
  Object.defineProperty(process, "pid", { get: () => (machine.world === undefined ? pid : 4242), configurable: true })
  const { hostname } = os
  const { getHeapStatistics } = v8
  const { cpuUsage, memoryUsage } = process
  const inWorld = <A>(ours: A, machines: () => A) => (machine.world === undefined ? machines() : ours)
  Object.assign(os, { hostname: () => inWorld("simulated", hostname) })
  Object.assign(v8, {
    getHeapStatistics: () => {
      const heap = getHeapStatistics()
      const fixed = { used_heap_size: bytes, heap_size_limit: 20 * bytes, total_heap_size: bytes }
      return inWorld({ ...heap, ...fixed }, () => heap)
    }
  })
  Object.assign(process, {
    cpuUsage: (before?: NodeJS.CpuUsage) =>
      inWorld({ user: 1_000, system: 1_000 }, () => cpuUsage.call(process, before)),
    memoryUsage: Object.assign(() => inWorld(memory, () => memoryUsage()), {
      rss: () => inWorld(bytes, () => memoryUsage.rss())
    })
  })
}
