/*
 * The lease of a due row. Two workers look for it; one at a time may work on it, and makes an outside call. Workers
 * end anywhere, one is frozen for any time, an answer from outside is lost, statements are written after their worker
 * has given up waiting. A tick is ten seconds.
 *
 * Stands for `lease`, `makeLeases` and `ended` in src/platform/postgres/leasedRows.ts, `forEachLeased` and `inTime` in
 * src/platform/jobs/forEachLeased.ts, and a work like `check` in src/money/refunds/Refunds.ts. Guards:
 *
 *   NO_LEASE      leasing moves the time of the row, so no other worker finds it due
 *   NO_EXPIRY     the lease ends by itself
 *   NO_MIN        it is not shorter than the work may take
 *   NO_LIMIT      work is broken off before its lease ends
 *   NO_OWN_LEASE  the end of a work moves the time only of a row that has the lease it began with
 *   NO_FENCE      the outcome is written by the version of the row on which the work was decided
 *   NO_OWN_KEY    outside is asked by a key of the row, so twice is once
 */
#define WORKERS 2
#define END 18                                         /* longer than all that may go wrong takes */
#define NEVER 30
#define AGAIN 1                                        /* the wait for the next look, shorter than the work may take */
#define LIMIT 2                                        /* `workMax` */
#ifdef NO_MIN
#define LEASE AGAIN
#else
#define LEASE 3                                        /* `leaseSecondsMin` */
#endif

byte now, due, version, asked, booked;
byte mayEnd = 1, mayLose = 2, mayFreeze = 1;
bool wasFrozen;

typedef Worker { bool isAtWork; bool isFrozen; byte leasedAt; byte seen; bool writes; byte ends };
Worker worker[WORKERS];

#define isLate(w) (worker[w].isAtWork && !worker[w].isFrozen && now >= worker[w].leasedAt + LIMIT)
#ifdef NO_LIMIT
#define limited true
#else
#define limited (!isLate(0) && !isLate(1))             /* `inTime` */
#endif
#ifdef NO_FENCE
#define fits(w) true
#else
#define fits(w) (version == worker[w].seen)
#endif
#ifdef NO_OWN_LEASE
#define has_its_lease(w) (due != NEVER)
#else
#define has_its_lease(w) (due == worker[w].ends - 1 + LEASE)      /* `due_at = leased.at + longEnough(again)` */
#endif
#ifdef NO_OWN_KEY
#define asked_with_key (asked + 1)
#else
#define asked_with_key 1
#endif
#ifdef NO_LEASE
#define leased due
#else
#ifdef NO_EXPIRY
#define leased NEVER
#else
#define leased (now + LEASE)
#endif
#endif

inline outcome(w) {
  worker[w].writes = false;
  if
  :: fits(w) -> version = worker[w].seen + 1; booked++; due = NEVER
  :: else
  fi;
  assert(booked <= 1)
}

inline ended(w) {
  if
  :: has_its_lease(w) -> due = worker[w].ends - 1 + AGAIN
  :: else
  fi;
  worker[w].ends = 0
}

inline ask() { asked = asked_with_key; assert(asked == 1) }

/* Statements are written when Postgres comes to them, also those whose worker is gone. */
active proctype postgres() {
end:
  do
  :: d_step { worker[0].writes -> outcome(0) }
  :: d_step { worker[1].writes -> outcome(1) }
  :: d_step { worker[0].ends > 0 -> ended(0) }
  :: d_step { worker[1].ends > 0 -> ended(1) }
  od
}

/* Time passes only when no worker could do what is due: then all that must be in time is. */
active proctype clock() {
end:
  do
  :: atomic {
       now < END && due > now && limited -> now++
     }
  od
}

#define goes (!worker[w].isFrozen)

proctype work(bit w) {
look:
  do
  :: atomic {                                          /* `lease`, unless its last statement is still under way */
       due <= now && goes && !worker[w].writes && worker[w].ends == 0 ->
       assert(wasFrozen || !worker[1 - w].isAtWork);   /* no row is worked on twice at once */
       worker[w].isAtWork = true;
       worker[w].leasedAt = now;
       due = leased
     };
     if
     :: atomic { goes && version == 0 -> worker[w].seen = version }
     :: atomic { goes && version == 1 -> goto over }
     :: atomic { mayEnd > 0 -> mayEnd--; goto dead }
     :: atomic { isLate(w) && mayLose > 0 -> mayLose--; goto over }
     fi;
     if                                                /* outside is asked, and answers or not */
     :: atomic { goes -> ask() }
     :: atomic { goes && mayLose > 0 -> mayLose--; ask(); goto over }
     :: atomic { mayEnd > 0 -> mayEnd--; goto dead }
     :: atomic { mayFreeze > 0 && goes -> mayFreeze--; worker[w].isFrozen = true; wasFrozen = true }; goto frozen
     :: atomic { isLate(w) && mayLose > 0 -> mayLose--; goto over }
     fi;
send:
     if
     :: atomic { goes -> worker[w].writes = true }
     :: atomic { mayEnd > 0 -> mayEnd--; goto dead }
     :: atomic { isLate(w) && mayLose > 0 -> mayLose--; goto over }
     fi;
     if                                                /* its answer is there, or waited for in vain */
     :: atomic { goes && !worker[w].writes -> goto over }
     :: atomic { mayEnd > 0 -> mayEnd--; goto dead }
     :: atomic { isLate(w) && mayLose > 0 -> mayLose--; goto over }
     fi;
frozen:
     if
     :: atomic { worker[w].isFrozen = false; ask(); goto send }
     fi;
over:                                                  /* `note`, `ended` */
     atomic {
       goes ->
       worker[w].isAtWork = false;
       worker[w].ends = worker[w].leasedAt + 1;
       worker[w].leasedAt = 0;
       goto look
     };
dead:
     atomic { worker[w].isAtWork = false; worker[w].leasedAt = 0 }   /* another process takes its place */
  :: booked == 1 -> break
  od
}

init {
  atomic { run work(0); run work(1) }
}
