/** Rows of sign-in links and of sessions. Both are found only by the hash of their secret. */
import { isoText } from "@coffer/model/isoText"
import { PersonId, sessionPrefix } from "@coffer/model/Ids"
import { knownBrowsersMax, linksAnHour, linkUsableFor, sessionsMax } from "@coffer/rules/people/signIn"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError, SqlSchema, type Statement } from "effect/sql"
import { makeEndChanges } from "../merchants/stillGives.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"

const Session = Schema.Struct({
  session_id: Schema.String,
  person_id: PersonId,
  way: Schema.Literals(["link", "passkey", "openid"]),
  /** Whether the OpenID provider's authentication counts as a passkey by the settings. */
  is_strong: Schema.Boolean,
  ip: Schema.String,
  user_agent: Schema.String,
  created_at: TimeColumn,
  last_seen_at: TimeColumn,
  expires_at: TimeColumn
})
export type Session = typeof Session.Type

export interface NewSession extends Pick<Session, "person_id" | "way" | "is_strong" | "ip" | "user_agent"> {
  readonly tokenHash: string
  /** The passkey that opens it; null: none. */
  readonly passkeyId: string | null
  /** The browser of the session, which is remembered; null: it sends no cookie. */
  readonly browserHash: string | null
  readonly now: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

export interface NewLink {
  /** The address of the console that it leads to. */
  readonly at: string
  readonly tokenHash: string
  readonly personId: PersonId
  /** The browser that may use it; null: any. */
  readonly browserHash: string | null
  /** The address of the request for it; null: not counted, since no stranger can cause it. */
  readonly askerHash: string | null
  readonly now: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

export class PersonSessionStore extends Context.Service<
  PersonSessionStore,
  {
    /**
     * The outcome. `own`, `shared`: the link was written, for this browser or for each that asks from now on. `served`:
     * a link that was mailed before works in this browser. `gone`: the person does not exist. `send`: the mail, in the
     * same transaction.
     */
    readonly insertLink: (
      link: NewLink,
      send: (kind: "own" | "shared") => Effect.Effect<void>
    ) => Effect.Effect<"own" | "shared" | "served" | "gone">
    /** The person of a link that is valid in this browser. The link is used up with it. */
    readonly useLink: (
      tokenHash: string,
      browserHash: string,
      now: DateTime.Utc
    ) => Effect.Effect<Option.Option<PersonId>>
    /** Opens a session; above the limit the oldest ends. None: the person or the passkey is gone. */
    readonly open: (session: NewSession) => Effect.Effect<Option.Option<Session>>
    /** A session that has not expired. The caller checks whether it was idle for too long. */
    readonly byTokenHash: (hash: string, now: DateTime.Utc) => Effect.Effect<Option.Option<Session>>
    /** Newest first. */
    readonly of: (personId: PersonId, now: DateTime.Utc) => Effect.Effect<ReadonlyArray<Session>>
    /** Records a request of the session. */
    readonly touch: (session: Session, now: DateTime.Utc) => Effect.Effect<void>
    /** None: the person has no such session. */
    readonly end: (personId: PersonId, sessionId: string) => Effect.Effect<Option.Option<Session>>
    readonly endAll: (personId: PersonId) => Effect.Effect<ReadonlyArray<Session>>
    /** Removes expired links and sessions, at most `limit` of each, and answers how many. */
    readonly dropExpired: (now: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("@coffer/people/PersonSessionStore") {}

export const layer = Layer.effect(
  PersonSessionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ids = yield* NewIds
    const faults = yield* Faults
    const writing = <A>(write: Effect.Effect<A>) => faults.around("Store.write", write, () => "person_sessions")
    const at = timestamp(sql)
    const endChanges = makeEndChanges(sql)
    /** Whatever a session has begun ends with it. */
    const ending = <A>(personId: PersonId, end: Effect.Effect<A, SqlError.SqlError | Schema.SchemaError>) =>
      writing(sqlDefects(sql.withTransaction(Effect.andThen(endChanges(personId), end))))
    const read = Schema.decodeUnknownEffect(Schema.Array(Session))
    const sessions = <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>) => Effect.flatMap(rows, read)
    const first = <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
      Effect.map(sessions(rows), ([session]) => Option.fromUndefinedOr(session))

    const know = Effect.fnUntraced(function* (personId: PersonId, browserHash: string, now: DateTime.Utc) {
      yield* sql`insert into known_browsers (person_id, browser_hash, seen_at)
        values (${personId}, ${browserHash}, ${at(now)})
        on conflict (person_id, browser_hash) do update set seen_at = excluded.seen_at`
      yield* sql`delete from known_browsers where person_id = ${personId} and browser_hash in (
        select browser_hash from known_browsers where person_id = ${personId}
        order by seen_at desc, browser_hash offset ${knownBrowsersMax})`
    })

    const open = Effect.fnUntraced(function* (session: NewSession) {
      const { expiresAt, ip, is_strong, now, passkeyId, person_id, tokenHash, user_agent, way } = session
      if (passkeyId !== null) {
        // A removal at the same time ends this session with it.
        const found = yield* sql`select from passkeys where passkey_id = ${passkeyId} for key share`
        if (found.length === 0) return Option.none()
      }
      const id = yield* ids.next(sessionPrefix)
      const opened = yield* first(sql`with seen as (update people set last_seen_at = greatest(last_seen_at, ${at(now)})
          where person_id = ${person_id} returning person_id)
        insert into person_sessions
        (session_id, token_hash, person_id, way, is_strong, passkey_id, ip, user_agent, created_at, last_seen_at,
          expires_at)
        select ${id}, ${tokenHash}, person_id, ${way}, ${is_strong}, ${passkeyId}::text, ${ip}, ${user_agent},
          ${at(now)}, ${at(now)}, ${at(expiresAt)} from seen returning *`)
      yield* sql`delete from person_sessions where session_id in (select session_id from person_sessions
        where person_id = ${person_id} order by session_id desc offset ${sessionsMax})`
      if (Option.isSome(opened) && session.browserHash !== null) yield* know(person_id, session.browserHash, now)
      return opened
    })

    return PersonSessionStore.of({
      ...makeLinks(sql, writing),
      open: (session) => writing(sqlDefects(sql.withTransaction(open(session)))),
      byTokenHash: (hash, now) =>
        sqlDefects(first(sql`select * from person_sessions where token_hash = ${hash} and expires_at > ${at(now)}`)),
      of: (personId, now) =>
        sqlDefects(
          sessions(sql`select * from person_sessions where person_id = ${personId} and expires_at > ${at(now)}
            order by session_id desc limit ${sessionsMax}`)
        ),
      touch: ({ person_id, session_id }, now) =>
        sqlDefects(
          Effect.asVoid(
            sql`with seen as (update person_sessions set last_seen_at = greatest(last_seen_at, ${at(now)})
                where session_id = ${session_id} returning person_id)
              update people set last_seen_at = greatest(last_seen_at, ${at(now)})
              where person_id = ${person_id} and exists (select from seen)`
          )
        ),
      end: (personId, sessionId) =>
        ending(
          personId,
          first(
            sql`delete from person_sessions where person_id = ${personId} and session_id = ${sessionId} returning *`
          )
        ),
      endAll: (personId) =>
        ending(
          personId,
          Effect.tap(
            sessions(sql`delete from person_sessions where person_id = ${personId} returning *`),
            // An earlier link would open a session again.
            () => sql`delete from sign_in_links where person_id = ${personId}`
          )
        ),
      dropExpired: makeDropExpired(sql)
    })
  })
)

const timestamp = (sql: SqlClient.SqlClient) => (time: DateTime.Utc) => sql`${isoText(time)}::text::timestamptz`

const decodeCounts = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ is_known: Schema.Boolean, browser: Schema.Int, network: Schema.Int, strangers: Schema.Int })
  )
)

const makeLinks = (
  sql: SqlClient.SqlClient,
  writing: <A>(write: Effect.Effect<A>) => Effect.Effect<A>
): Pick<PersonSessionStore["Service"], "insertLink" | "useLink"> => {
  const at = timestamp(sql)
  const countsOf = <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>) => Effect.flatMap(rows, decodeCounts)
  const usedLink = SqlSchema.findOneOption({
    Request: Schema.Struct({ tokenHash: Schema.String, browserHash: Schema.String, at: Schema.String }),
    Result: Schema.Struct({ person_id: PersonId }),
    execute: ({ at, browserHash, tokenHash }) =>
      sql`delete from sign_in_links l where token_hash = ${tokenHash} and expires_at > ${at}::text::timestamptz
        and (browser_hash is null or browser_hash = ${browserHash} or exists (select from sharing_browsers s
          where s.token_hash = l.token_hash and s.browser_hash = ${browserHash})) returning person_id`
  })
  /**
   * Whether the browser gets a link of its own. For a browser in which the person has signed in only its own links
   * count. All others share the rest of the limit, by their address and in total.
   */
  const mayHave = Effect.fnUntraced(function* ({ askerHash, browserHash, now, personId }: NewLink) {
    // Another request for this person waits, and then sees the links of this one.
    yield* sql`select from people where person_id = ${personId} for no key update`
    if (askerHash === null) return true
    const isKnown = (hash: Statement.Fragment) =>
      sql`exists (select from known_browsers k where k.person_id = ${personId} and k.browser_hash = ${hash})`
    const [counts] = yield* countsOf(sql`select ${isKnown(sql`${browserHash}`)} as is_known,
        count(*) filter (where l.browser_hash = ${browserHash})::int4 as browser,
        count(*) filter (where l.asker_hash = ${askerHash} and ${isKnown(sql`l.browser_hash`)} is false)::int4
          as network,
        count(*) filter (where l.asker_hash is not null and ${isKnown(sql`l.browser_hash`)} is false)::int4
          as strangers
      from sign_in_links l
      where l.person_id = ${personId} and l.created_at > ${at(DateTime.subtract(now, { hours: 1 }))}`)
    const { browser, is_known, network, strangers } = counts!
    if (browser >= linksAnHour.browser) return false
    return is_known || (network < linksAnHour.network && strangers < linksAnHour.strangers)
  })
  /**
   * Whether a link in the person's mailbox still works in this browser: its own, or a shared one, which it joins. So
   * each request has a link, and the mailbox is not flooded.
   */
  const isServed = Effect.fnUntraced(function* ({ at: page, browserHash, now, personId }: NewLink) {
    const usable = sql`person_id = ${personId} and expires_at > ${at(DateTime.addDuration(now, linkUsableFor))}`
    const own = yield* sql`select from sign_in_links where ${usable} and browser_hash = ${browserHash} limit 1`
    if (own.length > 0) return true
    // The link is used either before this statement, and then not found, or after it, and then it works in this
    // browser.
    const [shared] = yield* sql<{ readonly token_hash: string }>`select token_hash from sign_in_links
      where ${usable} and shared_at = ${page} order by expires_at desc limit 1 for key share`
    if (shared === undefined) return false
    yield* sql`insert into sharing_browsers (token_hash, browser_hash) values (${shared.token_hash}, ${browserHash})
      on conflict do nothing`
    return true
  })
  const insertLink = Effect.fnUntraced(function* (
    link: NewLink,
    send: (kind: "own" | "shared") => Effect.Effect<void>
  ) {
    const kind = (yield* mayHave(link)) ? "own" : "shared"
    if (kind === "shared" && (yield* isServed(link))) return "served"
    const { askerHash, at: page, browserHash, expiresAt, now, personId, tokenHash } = link
    const written = yield* sql`insert into sign_in_links
        (token_hash, person_id, browser_hash, asker_hash, shared_at, created_at, expires_at)
      select ${tokenHash}, person_id, ${browserHash}::text, ${askerHash}::text,
        ${kind === "shared" ? page : null}::text, ${at(now)}, ${at(expiresAt)}
      from people where person_id = ${personId} returning 1`
    if (written.length === 0) return "gone"
    yield* send(kind)
    return kind
  })
  return {
    insertLink: (link, send) => writing(sqlDefects(sql.withTransaction(insertLink(link, send)))),
    useLink: (tokenHash, browserHash, now) =>
      writing(
        sqlDefects(
          Effect.map(
            usedLink({ tokenHash, browserHash, at: isoText(now) }),
            Option.map(({ person_id }) => person_id)
          )
        )
      )
  }
}

const makeDropExpired = (sql: SqlClient.SqlClient) => {
  const at = timestamp(sql)
  return (now: DateTime.Utc, limit: number) => {
    const drop = (table: string, key: string, before: DateTime.Utc) =>
      Effect.map(
        sql`delete from ${sql(table)} where ${sql(key)} in (select ${sql(key)} from ${sql(table)}
          where expires_at <= ${at(before)} limit ${limit} for update skip locked) returning 1`,
        ({ length }) => length
      )
    // Links of the last hour are counted.
    return sqlDefects(
      Effect.zipWith(
        drop("sign_in_links", "token_hash", DateTime.subtract(now, { hours: 1 })),
        drop("person_sessions", "session_id", now),
        (links, sessions) => links + sessions
      )
    )
  }
}
