/**
 * There are two runners on one database. The one that took a request is killed with SIGKILL, and the request is sent
 * again to the other. One death serves for all writes: those that were done and not answered, those of which the
 * channel alone knew, and those that had claimed their key and nothing more. Writes without a key have no step on this
 * runner before they are done: their owner may be the other.
 */
import { type ChildProcess, fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { Context, Effect, type Scope } from "effect"
import { ShardId, Sharding, ShardingConfig } from "effect/cluster"
import { Api, type Reply } from "../Api.ts"
import { type Begun, type Failure, prepared, type Told, toldBy } from "../faults/failures.ts"
import { eventually } from "../Process.ts"
import {
  asRunner,
  freePort,
  freshDatabase,
  operatorToken,
  ownersConnection,
  type Running,
  secretKey,
  start
} from "../Service.ts"
import { type Caller, send, type Write } from "../routes/write.ts"

interface Doomed extends Caller {
  /** Sends all of these, and waits until each has come to one of the points, where it stands for ever. */
  readonly stand: (
    begun: ReadonlyArray<Begun>,
    ...points: ReadonlyArray<string>
  ) => Effect.Effect<void, never, Scope.Scope>
  readonly kill: Effect.Effect<void>
}

const doomed = Effect.fnUntraced(function* (database: string) {
  const port = yield* freePort
  const home = mkdtempSync(path.join(tmpdir(), "coffer-test-home-"))
  const env = {
    ...(yield* asRunner),
    DATABASE_URL: database,
    COFFER_HOME: home,
    PORT: String(port),
    HOST: "127.0.0.1",
    SECRET_KEY: secretKey,
    OPERATOR_TOKEN: operatorToken
  }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => fork(path.join(import.meta.dirname, "standingRunner.ts"), { env, execArgv: [] })),
    (started) =>
      Effect.andThen(
        ended(started),
        Effect.sync(() => rmSync(home, { recursive: true, force: true }))
      )
  )
  const api = new Api(`http://127.0.0.1:${port}`, operatorToken)
  yield* api.ready
  const said = { heard: 0, stands: 0 }
  child.on("message", (word: keyof typeof said) => said[word]++)
  const until = (isSo: () => boolean) =>
    Effect.callback<void>((resume) => {
      const look = () => {
        if (!isSo()) return
        child.off("message", look)
        resume(Effect.void)
      }
      child.on("message", look)
      look()
    })
  const runner: Doomed = {
    api,
    database,
    stand: Effect.fnUntraced(function* (begun, ...points) {
      said.heard = said.stands = 0
      child.send(points)
      yield* until(() => said.heard > 0)
      // The connection of each breaks when the runner dies.
      yield* Effect.forEach(begun, ({ asked }) => Effect.forkScoped(Effect.ignoreCause(send(runner, asked))))
      yield* until(() => said.stands >= begun.length)
    }),
    kill: ended(child)
  }
  return runner
})

const ended = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void)).kill("SIGKILL")
  })

/**
 * Delays checks by workers and decisions of the bank by an hour. On a slow machine they could fall into the test. A
 * worker that asks the channel would stop at the point, too.
 */
const nothingByItself = Effect.fnUntraced(function* ({ database }: Running) {
  const sql = yield* ownersConnection(database)
  yield* sql`create function test_later() returns trigger language plpgsql as $$
    declare
      name text := tg_argv[0];
      due timestamptz := to_jsonb(new) ->> name;
    begin
      if tg_op = 'INSERT' or due is distinct from (to_jsonb(old) ->> name)::timestamptz then
        new := jsonb_populate_record(new, jsonb_build_object(name, due + interval '1 hour'));
      end if;
      return new;
    end $$`
  for (const [table, column] of [
    ["refunds", "next_check_at"],
    ["disputes", "next_check_at"],
    ["sandbox_disputes", "lost_at"]
  ] as const) {
    yield* sql.unsafe(`create trigger test_later before insert or update on ${table}
      for each row execute function test_later('${column}')`)
  }
})

const shards = Array.from({ length: ShardingConfig.defaults.shardsPerGroup }, (_, index) =>
  ShardId.make("default", index + 1)
)

/** Waits until each owns its part of the slots, and none is on its way. */
const sharing = (runner: Caller, { context }: Running) =>
  eventually(
    "two runners to share the shards",
    Effect.map(runner.api.get("/metrics"), ({ text }) => {
      const its = Number(/^effect_cluster_shards (\d+)/m.exec(text)?.[1])
      const ours = shards.filter((shard) => Context.get(context, Sharding.Sharding).hasShardId(shard)).length
      return its > 0 && ours > 0 && its + ours === shards.length
    })
  )

/** Makes the leases of the dead runner last an hour longer: a retry that waits for one is noticed. */
const leasesLast = ({ sql }: Running) =>
  Effect.andThen(
    sql`update idempotency_keys set lease_until = lease_until + interval '1 hour' where state = 'running'`,
    sql`update refunds set updated_at = updated_at + interval '1 hour' where status = 'reserved'`
  )

/** Sends again until the other runner has taken over the dead one's slots. It answers 503 until then. */
const served = (other: Running, asked: Begun["asked"]): Effect.Effect<Reply> =>
  Effect.flatMap(send(other, asked), (reply) =>
    reply.status === 503 ? Effect.delay(served(other, asked), "200 millis") : Effect.succeed(reply)
  )

/** Postgres notices by itself that a process is gone, a moment after it has ended. */
const deathNoticed = ({ sql }: Running) =>
  eventually(
    "Postgres to notice the death",
    Effect.map(
      sql`select 1 from idempotency_keys k join pg_locks l on l.locktype = 'advisory' and l.objid = k.run::oid
        where k.state = 'running'`,
      ({ length }) => length === 0
    )
  )

const isKeyed = ({ isKeyed }: Write) => isKeyed
const names = { before: "killed before", midway: "killed midway", after: "killed after" }

export const killed: Failure = {
  names: Object.values(names),
  play: Effect.fnUntraced(function* (writes) {
    const database = yield* freshDatabase
    const [runner, other] = yield* Effect.all([doomed(database), start({ database, env: yield* asRunner })], {
      concurrency: 2
    })
    yield* nothingByItself(other)
    yield* sharing(runner, other)
    const before = yield* prepared(runner, writes.filter(isKeyed))
    const asking = writes.filter(({ asksChannel }) => asksChannel)
    const midway = yield* prepared(runner, asking)
    const after = yield* prepared(runner, writes)
    const [keyed, plain] = [after.filter(({ write }) => isKeyed(write)), after.filter(({ write }) => !isKeyed(write))]

    yield* Effect.forEach(plain, ({ asked }) => send(runner, asked))
    yield* runner.stand(keyed, "Idempotency.finish")
    yield* runner.stand(before, "Idempotency.run")
    const channels = ["RefundChannel.refund", "DisputeChannel.submit", "DisputeChannel.accept", "HoldChannel.ask"]
    yield* runner.stand(midway, ...channels)
    yield* runner.kill
    yield* deathNoticed(other)
    yield* leasesLast(other)

    const columns = { before, midway, after }
    const sent = (["before", "midway", "after"] as const).flatMap((column) =>
      columns[column].map((one) => ({ ...one, column: names[column] }))
    )
    const told = yield* Effect.forEach(
      sent,
      (one) => Effect.map(served(other, one.asked), (reply): Told => ({ ...one, told: toldBy(reply), reply })),
      { concurrency: 8 }
    )
    return { service: other, told }
  })
}
