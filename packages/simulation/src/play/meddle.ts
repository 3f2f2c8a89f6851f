/** Another program that works in the database, through the gate like a runner: it takes locks, or changes a table. */
import net from "node:net"
import { Client } from "../gate/Client.ts"
import { callers } from "../owners.ts"
import type { World } from "../World.ts"
import type { Runners } from "./Runners.ts"

export interface Meddling {
  readonly name: string
  readonly statement: string
  /** Whether its change stays. */
  readonly isKept: boolean
}

export const meddlings: ReadonlyArray<Meddling> = [
  { name: "another program held rows of wallets", statement: "select from wallets for update", isKept: false },
  { name: "another program held rows of orders", statement: "select from orders for update", isKept: false },
  // All that comes after it waits behind it, although what it waits for itself is only a row.
  { name: "a table was changed", statement: "alter table orders set (fillfactor = 90)", isKept: true },
  { name: "an old runner on a newer schema", statement: "alter table orders add column newer text", isKept: true }
]

export const meddle = async (world: World, { postgresPort }: Runners, plan: Meddling, millis: number) => {
  world.who = callers
  const socket = net.connect({ port: postgresPort, host: "127.0.0.1" }).on("error", () => {})
  try {
    const client = await Client.over(socket, "coffer", "world")
    await client.query("begin")
    await client.query(plan.statement)
    world.note(`${plan.name}: ${plan.statement}`)
    world.mark(plan.name)
    await world.sleep(millis)
    await client.query(plan.isKept ? "commit" : "rollback")
  } catch (error) {
    // The weather may cut its session, or end its wait.
    world.note(`${plan.name}: ${String(error)}`)
  }
  socket.end()
}
