/** No queue: a loop over a list in memory. Nothing is stored, and a crash loses all of it. */
import type { Job } from "../job.ts"
import type { Open } from "./Queue.ts"

export const open: Open = ({ inFlight, post }) => {
  let jobs: Array<Job> = []
  const work = async () => {
    for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) await post(job)
  }
  return Promise.resolve({
    fill: (all) => Promise.resolve((jobs = [...all])),
    go: () => Promise.resolve(void Promise.all(Array.from({ length: inFlight }, work))),
    isStored: () => Promise.resolve(true),
    rest: () => Promise.resolve()
  })
}
