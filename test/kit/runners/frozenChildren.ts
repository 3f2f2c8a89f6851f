/**
 * A parent whose first child freezes in the moment between its word that it is there and the connection. Run by itself:
 * it prints its port when both children listen, and "frozen <pid>" when the first one has frozen.
 */
import cluster from "node:cluster"
import { createServer } from "node:http"
import { askMessage, giveToAnswering, hereMessage } from "@coffer/cluster/handover"

const start = (freezes: boolean): Promise<number> => {
  const worker = cluster.fork({ FREEZES: String(freezes) })
  giveToAnswering(worker)
  worker.on("message", (said) => {
    if (said === hereMessage && freezes) console.log(`frozen ${worker.process.pid}`)
  })
  return new Promise((resolve) => worker.once("listening", ({ port }) => resolve(port)))
}

if (cluster.isPrimary) {
  await start(true)
  console.log(`port ${await start(false)}`)
} else {
  const freezes = process.env["FREEZES"] === "true"
  process.on("message", (said) => {
    if (said !== askMessage) return
    process.send!(hereMessage, () => freezes && process.kill(process.pid, "SIGSTOP"))
  })
  createServer((_, response) => response.end("answered")).listen(0, "127.0.0.1")
}
