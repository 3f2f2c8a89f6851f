/**
 * Of two runners on one database the one that took a request is killed with SIGKILL, and the request is sent again to
 * the other. One death serves for all writes: those that were done and not answered, those of which the channel knew
 * and nobody else, and those that had claimed their key and nothing more. Writes without a key have no step on this
 * runner before they are done: their actors may live on the other.
 */
import { type ChildProcess, fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert } from "@effect/vitest"
import { Context, Effect, type Scope } from "effect"
import { ShardId, Sharding, ShardingConfig } from "effect/cluster"
import { Api, type Reply } from "./Api.ts"
import { type Begun, type Failure, isInProgress, prepared, type Told, toldBy } from "./failures.ts"
import { eventually } from "./Process.ts"
import { asRunner, freePort, freshDatabase, operatorToken, type Running, secretKey, start } from "./Service.ts"
import { type Door, send, type Write } from "./write.ts"

interface Doomed extends Door {
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
 * What workers and the bank do after a while is done an hour later. How long all this takes is the machine's; and a worker
 * that asks the channel would come to a stand, too.
 */
const nothingByItself = Effect.fnUntraced(function* ({ sql }: Running) {
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

/** Waits until each has its part of the actors, and none is on its way. */
const sharing = (runner: Door, { context }: Running) =>
  eventually(
    "two runners to share the shards",
    Effect.map(runner.api.get("/metrics"), ({ text }) => {
      const its = Number(/^effect_cluster_shards (\d+)/m.exec(text)?.[1])
      const ours = shards.filter((shard) => Context.get(context, Sharding.Sharding).hasShardId(shard)).length
      return its > 0 && ours > 0 && its + ours === shards.length
    })
  )

/** What the dead runner had to itself for 30 seconds is free, as if they had passed. */
const leasesEnd = ({ sql }: Running) =>
  Effect.andThen(
    sql`update idempotency_keys set lease_until = now() where state = 'running'`,
    sql`update refunds set updated_at = updated_at - interval '30 seconds' where status = 'reserved'`
  )

/** Until the other runner has taken over what the dead one had: it says 503 so long, and 409 while a lease runs. */
const toldAtLast = Effect.fnUntraced(function* (
  other: Running,
  sent: ReadonlyArray<Begun & { readonly column: string }>
) {
  const first = yield* Effect.forEach(sent, ({ asked }) => served(other, asked), { concurrency: 8 })
  yield* leasesEnd(other)
  return yield* Effect.forEach(sent, (one, index): Effect.Effect<Told> => {
    const reply = first[index]!
    if (!isInProgress(reply)) return Effect.succeed({ ...one, told: toldBy(reply), reply })
    const wait = Number(reply.headers.get("retry-after"))
    assert.isTrue(wait >= 1 && wait <= 30, `Retry-After: ${wait}`)
    return Effect.map(served(other, one.asked), (after) => ({ ...one, told: `wait, ${toldBy(after)}`, reply: after }))
  })
})

const served = (other: Running, asked: Begun["asked"]): Effect.Effect<Reply> =>
  Effect.flatMap(send(other, asked), (reply) =>
    reply.status === 503 ? Effect.delay(served(other, asked), "200 millis") : Effect.succeed(reply)
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
    yield* runner.stand(keyed, "Idempotency.settle")
    yield* runner.stand(before, "Idempotency.run")
    yield* runner.stand(midway, "RefundChannel.refund", "DisputeChannel.submit", "DisputeChannel.accept")
    yield* runner.kill

    const columns = { before, midway, after }
    const sent = (["before", "midway", "after"] as const).flatMap((column) =>
      columns[column].map((one) => ({ ...one, column: names[column] }))
    )
    return { service: other, told: yield* toldAtLast(other, sent) }
  })
}
