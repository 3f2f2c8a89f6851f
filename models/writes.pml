/*
 * The write loop over one wallet. Two runners believe that they own it. On each of them commands run beside each other,
 * and are decided on the wallet in memory before what they follow is written. Answers are lost, sets are written late,
 * runners end anywhere, and callers send a command again, to any runner.
 *
 * Stands for `performNow` and `makeDecide` in src/money/aggregate/WriteLoop.ts, `attempt`, `refuse` and `knownWallets` in
 * src/money/wallets/Wallets.ts, `submit` in src/platform/commit/Transactor.ts, and `selectUnchanged` and `oneStatement` in
 * src/platform/commit/statements.ts, `resolve` in src/platform/commit/writeBatch.ts. Guards:
 *
 *   NO_FENCE        an update replaces only the version of the wallet that it was decided on
 *   NO_DIGEST       the wallet's version follows from its content, so two runners cannot count to the same one
 *   NO_KEY          the command's own row (an order's, a refund's) has a version too: a command is written once
 *   NO_WHOLE        the rows of a set are written together or not at all
 *   NO_SECOND_LOOK  a refusal is confirmed by the row, after all that the memory waits for
 *   NO_EVIDENCE     a set whose answer was lost is a lost race only if its own row is not there
 */
#define RUNNERS 2
#define COMMANDS 3
#define OPENING 1
/* The first brings money, the others take it. */
#define amount(command) (command == 0 -> 1 : -1)
/* How often commands are sent, the same or others, and how many sets are made of them. */
#define SENDS 4
#define SETS 4

mtype = { queued, written, stale };
typedef Set {
  mtype is; bool isLate; bit runner; byte command; byte replaces; byte version; byte balance;
  bool copy;                                           /* its first statement is still under way */
  bool isThere                                         /* its own row */
};
Set set[SETS];
byte sets;

/* The database. */
byte version, balance = OPENING, ledger[COMMANDS];
bit own[COMMANDS];

/* The wallet as a runner remembers it. */
typedef Known { bool is; byte version; byte balance };
Known known[RUNNERS];
byte sent;
bool hasSent1;
bool hasLost;                                          /* one connection is */

/* The content is another one for each set. */
#ifdef NO_DIGEST
#define next_version(before, n) (before + 1)
#else
#define next_version(before, n) (n + 1)
#endif

#ifdef NO_KEY
#define own_fits(s) true
#else
#define own_fits(s) (own[s.command] == 0)
#endif
#ifdef NO_FENCE
#define wallet_fits(s) true
#else
#define wallet_fits(s) (version == s.replaces)
#endif

/* Of one runner's sets the first is written first: they have one lane. A late one is bound by nothing. */
#define waits(n, r) (set[n].is == queued && !set[n].isLate && set[n].runner == r)
#define is_first(n) (set[n].isLate || !( \
  (n > 0 && waits(0, set[n].runner)) || (n > 1 && waits(1, set[n].runner)) || (n > 2 && waits(2, set[n].runner))))

#define sum (OPENING + ledger[0] - ledger[1] - ledger[2])

inline clear(n) {                                      /* it is not read any more */
  set[n].is = 0; set[n].isLate = false; set[n].runner = 0; set[n].command = 0;
  set[n].replaces = 0; set[n].version = 0; set[n].balance = 0;
  set[n].copy = false; set[n].isThere = false
}

inline write(n, outcome) {                             /* `oneStatement`: locks the rows, looks at them, and writes */
  if
  :: own_fits(set[n]) && wallet_fits(set[n]) ->
       own[set[n].command] = 1;
       version = set[n].version;
       balance = set[n].balance;
       ledger[set[n].command]++;
       set[n].isThere = true;
       outcome = written
#ifdef NO_WHOLE
  :: own_fits(set[n]) && !wallet_fits(set[n]) -> own[set[n].command] = 1; outcome = stale
#endif
  :: else -> outcome = stale
  fi;
  assert(balance == sum);
  assert(ledger[set[n].command] <= 1);
  assert(own[set[n].command] == ledger[set[n].command])
}

inline write_first(n) {
  write(n, set[n].is);
  if
  :: set[n].isLate && !set[n].copy -> clear(n)
  :: set[n].isLate && set[n].copy -> set[n].is = 0
  :: else
  fi
}

inline write_copy(n) {
  write(n, ignored);
  ignored = 0;
  set[n].copy = false;
  if
  :: set[n].is == 0 -> clear(n)                        /* nobody waits for it any more */
  :: else
  fi
}

active proctype postgres() {
  mtype ignored;
end:
  do
  :: d_step { set[0].is == queued && is_first(0) -> write_first(0) }
  :: d_step { set[1].is == queued && is_first(1) -> write_first(1) }
  :: d_step { set[2].is == queued && is_first(2) -> write_first(2) }
  :: d_step { set[3].is == queued && is_first(3) -> write_first(3) }
  :: d_step { set[0].copy -> write_copy(0) }
  :: d_step { set[1].copy -> write_copy(1) }
  :: d_step { set[2].copy -> write_copy(2) }
  :: d_step { set[3].copy -> write_copy(3) }
  od
}

inline forget(r) { known[r].is = false; known[r].version = 0; known[r].balance = 0 }

#ifdef NO_EVIDENCE
#define found_written false
#else
#define found_written set[mine].isThere
#endif

/* Its fiber waits for the set no longer. */
inline leave() {
  if
  :: set[mine].copy -> set[mine].is = 0
  :: else -> clear(mine)
  fi
}

inline over() { command = 0; mine = 0 }

/* A fiber, with one command after the other. */
proctype fiber(bit r) {
  byte command, mine;
end:
  atomic {
    sent < SENDS ->
    if
    :: command = 0
    :: command = 1; hasSent1 = true
    :: hasSent1 -> command = 2                         /* it differs from the one before in nothing */
    fi;
    sent++
  };
decide:
  atomic {                                             /* what is read may be old before the set is written */
    if
    :: !known[r].is -> known[r].is = true; known[r].version = version; known[r].balance = balance
    :: else
    fi;
    if
    :: own[command] == 1 -> assert(ledger[command] == 1); over(); goto end    /* `makeDecide`: performed before */
    :: own[command] == 0 && known[r].balance + amount(command) < 0 -> goto refuse
    :: own[command] == 0 && known[r].balance + amount(command) >= 0 && sets == SETS -> over(); goto end
    :: own[command] == 0 && known[r].balance + amount(command) >= 0 && sets < SETS ->
         mine = sets;                                  /* `attempt`: from `decide` to `submit` nothing yields */
         sets++;
         set[mine].runner = r;
         set[mine].command = command;
         set[mine].replaces = known[r].version;
         known[r].version = next_version(known[r].version, mine);
         known[r].balance = known[r].balance + amount(command);
         set[mine].version = known[r].version;
         set[mine].balance = known[r].balance;
         set[mine].is = queued
    fi
  };
answer:
  if
  :: d_step { set[mine].is == written -> assert(ledger[command] == 1); leave(); over() }; goto end
  :: d_step {
       set[mine].is == stale && !(found_written) ->
       assert(!set[mine].isThere);                     /* a race that is lost */
       leave(); forget(r); mine = 0
     }; goto decide
  :: d_step { set[mine].is == stale && (found_written) -> assert(ledger[command] == 1); leave(); over() }; goto end
  :: d_step {                                          /* the connection is lost: the statement goes on, or has ended */
       mine == 0 && !hasLost ->
       hasLost = true;
       if
       :: set[mine].is == queued -> set[mine].copy = true
       :: else
       fi;
       set[mine].is = queued                           /* `writeOthers` writes it again */
     }; goto answer
  :: d_step {                                          /* the answer is lost, or the runner ends with its memory */
       true ->
       if
       :: set[mine].is == queued -> set[mine].isLate = true
       :: else -> leave()
       fi;
       forget(r);
       over()
     }; goto end
  fi;
refuse:
  atomic {
#ifndef NO_SECOND_LOOK
    !waits(0, r) && !waits(1, r) && !waits(2, r) && !waits(3, r);   /* `refuse`: `current.pending`, then the row */
    if
    :: own[command] == 1 || balance + amount(command) >= 0 -> forget(r); goto decide
    :: else
    fi;
#endif
    assert(balance + amount(command) < 0);
    over();
    goto end
  }
}

init {
  atomic { run fiber(0); run fiber(0); run fiber(1) }
}
