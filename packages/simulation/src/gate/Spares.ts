/**
 * Sessions of Postgres that nobody has any more. A later one that begins with the same words takes one over, as clean
 * as a new one: to begin costs Postgres as much as forty statements, and a world with cuts begins a hundred.
 */
import type { Backend } from "./Backend.ts"
import * as wire from "./wire.ts"

/** Beside those in use, within Postgres' `max_connections`. */
const sparesMax = 30

export class Spares {
  private readonly spares: Array<Backend> = []

  take(startup: Buffer): Backend | undefined {
    const place = this.spares.findIndex(({ startup: own }) => own?.equals(startup))
    return place < 0 ? undefined : this.spares.splice(place, 1)[0]
  }

  /** Its locks and what it listened to are gone after this. One that waits for a lock has to end. */
  async keep(backend: Backend) {
    const status = backend.answer?.status ?? ""
    if (status === "" || this.spares.length === sparesMax) return backend.end()
    if (status !== "I") await backend.ask(wire.query("rollback"))
    await backend.ask(wire.query("discard all"))
    backend.notices = []
    this.spares.push(backend)
  }

  async end() {
    for (const backend of this.spares.splice(0)) await backend.end()
  }
}
