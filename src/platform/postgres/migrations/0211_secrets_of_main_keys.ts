/**
 * Each secret of a main key is a row beside those of keys with scopes. A runner of the version before knows only
 * `merchant_modes`: what it writes there is carried over by a trigger, and a runner of this version writes both.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table api_key_secrets alter column key_id drop not null,
    add column merchant_id text references merchants, add column mode text`
  yield* sql`alter table api_key_secrets add constraint api_key_secrets_of_one_key
    check (num_nonnulls(key_id, merchant_id) = 1 and (merchant_id is null) = (mode is null)) not valid`
  // Without an overlap the old secrets end by any runner's clock.
  yield* sql`create function carry_main_secret() returns trigger language plpgsql as $$ begin
    if tg_op = 'UPDATE' and new.key_hash = old.key_hash then
      if old.previous_key_hash is not null and new.previous_key_hash is null then
        update api_key_secrets set ends_at = least(ends_at, to_timestamp(0))
          where merchant_id = new.merchant_id and mode = new.mode and key_hash <> new.key_hash;
      end if;
    elsif not exists (select from api_key_secrets where key_hash = new.key_hash and ends_at is null) then
      update api_key_secrets set ends_at = least(ends_at, coalesce(new.previous_until, to_timestamp(0)))
        where merchant_id = new.merchant_id and mode = new.mode;
      insert into api_key_secrets (key_hash, merchant_id, mode) values (new.key_hash, new.merchant_id, new.mode)
        on conflict (key_hash) do update set ends_at = null;
    end if;
    return null;
  end $$`
  yield* sql`create trigger main_secrets_are_carried after insert or update of key_hash, previous_key_hash
    on merchant_modes for each row execute function carry_main_secret()`
  yield* sql`insert into api_key_secrets (key_hash, merchant_id, mode, ends_at)
    select key_hash, merchant_id, mode, null from merchant_modes
    union all select previous_key_hash, merchant_id, mode, previous_until from merchant_modes
      where previous_key_hash is not null`
})
