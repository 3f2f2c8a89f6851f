/** The faults of the chaos test. Each fault has ended when its effect has, whatever comes of it afterwards. */
import { Effect } from "effect"
import type { ChaosCluster, ChaosNode } from "./ChaosCluster.ts"
import { connect, eventually } from "../Process.ts"

export interface ChaosFault {
  readonly name: string
  /** Two faults at once touch different things. */
  readonly touches: "runner" | "postgres" | "redis" | "line"
  readonly happen: (cluster: ChaosCluster, draw: (limit: number) => number) => Effect.Effect<unknown, unknown>
}

/** Longer than a runner's locks last without it (`shardLockExpiration`). */
const pauseSeconds = 17
const lockedSeconds = 20

const some = ({ nodes }: ChaosCluster, draw: (limit: number) => number): ChaosNode => nodes[draw(nodes.length)]!
const seconds = (count: number) => Effect.sleep(count * 1_000)

const ofCoffer = "usename = 'coffer_app' and pid <> pg_backend_pid()"

const killed: ChaosFault = {
  name: "a runner is killed (SIGKILL)",
  touches: "runner",
  happen: (cluster, draw) => {
    const node = some(cluster, draw)
    return Effect.gen(function* () {
      node.coffer().signal("SIGKILL")
      yield* node.coffer().ended
      yield* seconds(1 + draw(3))
      yield* node.restart
    })
  }
}

const paused: ChaosFault = {
  name: `a runner stands still for ${pauseSeconds} s (SIGSTOP)`,
  touches: "runner",
  happen: (cluster, draw) => {
    const node = some(cluster, draw)
    node.pause()
    return Effect.andThen(
      seconds(pauseSeconds),
      Effect.sync(() => node.resume())
    )
  }
}

const lockLost: ChaosFault = {
  name: "a runner's lock connection is dropped",
  touches: "postgres",
  happen: ({ asSuperuser }) =>
    asSuperuser(`select pg_terminate_backend(pid) from (select pid from pg_locks
      where locktype = 'advisory' and granted group by pid having count(*) > 10 order by random() limit 1) as held`)
}

const backendsLost: ChaosFault = {
  name: "all connections to Postgres are terminated",
  touches: "postgres",
  happen: ({ asSuperuser }) => asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where ${ofCoffer}`)
}

const restarted = (how: "fast" | "immediate"): ChaosFault => ({
  name: `Postgres is restarted (${how})`,
  touches: "postgres",
  happen: ({ postgres }) => Effect.andThen(postgres.stop(how), postgres.start)
})

const redisKilled: ChaosFault = {
  name: "Redis is killed, and comes back after 3 s",
  touches: "redis",
  happen: ({ redis }) => redis.kill.pipe(Effect.andThen(seconds(3)), Effect.andThen(redis.run))
}

const redisHangs: ChaosFault = {
  name: "Redis hangs for 6 s",
  touches: "redis",
  happen: ({ redis }) =>
    redis.signal("SIGSTOP").pipe(Effect.andThen(seconds(6)), Effect.andThen(redis.signal("SIGCONT")))
}

const full: ChaosFault = {
  name: "the connection limit is full for 6 s",
  touches: "postgres",
  happen: ({ asSuperuser }) =>
    asSuperuser("alter role coffer_app connection limit 6").pipe(
      Effect.andThen(asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where ${ofCoffer}`)),
      Effect.andThen(seconds(6)),
      Effect.andThen(asSuperuser("alter role coffer_app connection limit -1"))
    )
}

const hotRow: ChaosFault = {
  name: `a wallet's row is locked for ${lockedSeconds} s`,
  touches: "postgres",
  happen: ({ superuserUrl }) =>
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* connect(superuserUrl)
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`set local idle_in_transaction_session_timeout = 0`
            yield* sql`set local lock_timeout = 0`
            yield* sql`select 1 from wallets order by total_revenue desc limit 1 for update`
            yield* seconds(lockedSeconds)
          })
        )
      })
    ).pipe(Effect.retry({ times: 5 }))
}

const line = (name: string, of: (node: ChaosNode) => ChaosNode["toRunner"], how: "cut" | "swallow"): ChaosFault => ({
  name: `${name} ${how === "cut" ? "is cut" : "carries nothing"} for 7 s`,
  touches: "line",
  happen: (cluster, draw) => {
    const cable = of(some(cluster, draw))
    cable[how]()
    return Effect.andThen(
      seconds(7),
      Effect.sync(() => cable.heal())
    )
  }
})

export const faults: ReadonlyArray<ChaosFault> = [
  killed,
  paused,
  lockLost,
  backendsLost,
  restarted("fast"),
  restarted("immediate"),
  redisKilled,
  redisHangs,
  full,
  hotRow,
  line("a runner's line to Postgres", ({ toDatabase }) => toDatabase, "cut"),
  line("a runner's line to Postgres", ({ toDatabase }) => toDatabase, "swallow"),
  line("the others' line to a runner", ({ toRunner }) => toRunner, "cut"),
  line("the others' line to a runner", ({ toRunner }) => toRunner, "swallow")
]

/** All runners say that they can work. */
export const recovered = ({ nodes }: ChaosCluster) =>
  Effect.forEach(
    nodes,
    (node) =>
      eventually(
        `${node.name} to be ready again`,
        Effect.promise(() =>
          fetch(`http://127.0.0.1:${node.port}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
            (response) => response.arrayBuffer().then(() => response.status === 200),
            () => false
          )
        ),
        "2 minutes"
      ),
    { concurrency: 3, discard: true }
  )
