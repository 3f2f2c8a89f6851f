/**
 * A batch reads its account's horizon by this function when it has the row's lock (docs/decisions/0050). A statement
 * sees what was committed when it began, and so does the lock `for key share`, unless the row's key was locked. Each
 * call of a volatile function sees what is committed by then.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const horizonNow = `create function horizon_now(of_merchant text, in_mode text) returns list_horizons
  language plpgsql volatile as $$
    declare
      horizon list_horizons;
    begin
      select * into horizon from list_horizons where merchant_id = of_merchant and mode = in_mode;
      return horizon;
    end
  $$`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(horizonNow)
})
