/*
 * The takeover of a shard, and the refusal of its late owner. Two runners: the shard is the first one's while that one
 * is healthy, and the second one's otherwise. Postgres is started again, a connection is lost or its runner frozen for
 * any time, a runner ends and comes back, a command's answer is lost and its batch is written late.
 *
 * Stands for `acquire`, `refresh`, `retake` and `again` in packages/cluster/src/keptLocks.ts, `look` in
 * packages/cluster/src/ShardLocks.ts, `judge` in packages/cluster/src/judging.ts with packages/cluster/src/Doubt.ts,
 * `hereIn` and `sendToOwner` in src/platform/cluster/owner.ts, and the snapshots and the fence of
 * src/money/aggregate/WriteLoop.ts. Guards:
 *
 *   NO_LOCK       a shard's lock is one session's
 *   NO_DOUBT      who has just lost its own session judges no other
 *   NO_FORGET     who does not get a lock again owns the shard no more
 *   NO_GIVE_BACK  a lock that was got again for a shard given up meanwhile is given back
 *   NO_FENCE      an update replaces only the version that it was decided on
 *   NO_KEY        a command that arrives twice is performed once
 */
#define COMMANDS 2
#define other (1 - r)
/* A session, as its runner has seen it. */
#define LOST 0
#define KNOWN 1
#define OPENED 2

byte troubles = 2;
bool mayResend = true;

/* Postgres: sessions, which have numbers, the shard's lock, and the object's row. */
byte session[2] = KNOWN;
bool held[2];
byte version, applied, times[COMMANDS];
byte late;                                             /* a batch of the first command without a waiter */
bool wasCut;                                           /* the first runner, well until Postgres was started again */

/* Each runner: what it believes. */
bool owns[2], isFrozen[2], isAlive[2] = true, inDoubt[2];
byte snapshot[2];                                      /* the version in memory, and 1 */
bit life[2];                                            /* of the program */
bool isDown;


#define goes (!isFrozen[r])
#define isAway (other == 0 && (isDown || isFrozen[0]))
#define wants (r == 0 || !isAlive[1])                  /* the assignment, by `judge` */
#ifdef NO_LOCK
#define is_free true
#else
#define is_free (!held[other])
#endif
#ifdef NO_DOUBT
#define spares false
#else
#define spares (inDoubt[r] && isAlive[r])
#endif
#ifdef NO_FORGET
#define believes_anyway true
#else
#define believes_anyway false
#endif
#ifdef NO_GIVE_BACK
#define keeps_anyway true
#else
#define keeps_anyway false
#endif
#ifdef NO_FENCE
#define fits(seen) true
#else
#define fits(seen) (version == seen)
#endif
#ifdef NO_KEY
#define is_new(c) true
#else
#define is_new(c) (times[c] == 0)
#endif

#define changed (session[r] != KNOWN)
#define sees (session[other] != LOST || spares)

inline ask_for_lock() {                                /* one statement: `pg_try_advisory_lock` */
  got = session[r] != LOST && is_free;
  if
  :: got ->
       held[r] = true;
       assert(!held[other]);
       assert(r == 0 || !(wasCut && owns[0]));         /* Postgres' own restart moves no shard */
       if
       :: r == 0 -> wasCut = false
       :: else
       fi
  :: else
  fi
}

/* `getRunners`: looks who lives, and takes the lock again after a loss. */
proctype keeper(bit r) {
  bit mine;
  bool got;
end:
  do
  :: d_step {                                          /* `look`: its own session and the other, at one moment */
       goes && ((changed && (session[r] != LOST || !inDoubt[r])) || isAlive[r] != sees) ->
       if
       :: changed -> inDoubt[r] = true
       :: else
       fi;
       if
       :: session[r] != LOST -> session[r] = KNOWN
       :: else
       fi;
       isAlive[r] = sees
     }
  :: d_step {                                          /* 5 s later: who can has a session again */
       inDoubt[r] && !changed && (session[other] != LOST || isAway) -> inDoubt[r] = false
     }
  :: d_step { goes && owns[r] && !held[r] && session[r] != LOST -> mine = life[r] };
     d_step {                                          /* `again` */
       goes ->
       if
       :: mine == life[r] -> ask_for_lock()
       :: else
       fi
     };
     d_step {
       goes ->
       if
       :: mine == life[r] && got && !owns[r] -> held[r] = keeps_anyway
       :: mine == life[r] && !got -> owns[r] = owns[r] && believes_anyway; assert(!owns[r] || held[r])
       :: else
       fi;
       got = false; mine = 0
     }
  od
}

/* The library: takes what is assigned to this runner, and gives up what is not. */
proctype sharding(bit r) {
  bit mine;
  bool got;
end:
  do
  :: d_step {
       goes && wants && !owns[r] && !held[r] && session[r] != LOST && is_free ->
       ask_for_lock();
       owns[r] = got;
       got = false
     }
  :: d_step { goes && !wants && owns[r] -> owns[r] = false; snapshot[r] = 0; mine = life[r] };
     d_step {                                          /* `release` */
       goes ->
       if
       :: mine == life[r] -> held[r] = false
       :: else
       fi;
       mine = 0
     }
  od
}

inline lose(w) { session[w] = LOST; held[w] = false }

active proctype world() {
end:
  do
  :: d_step {                                          /* Postgres is started again */
       troubles > 0 ->
       troubles--;
       wasCut = owns[0] && held[0] && isAlive[1] && !isFrozen[0];
       lose(0);
       lose(1)
     }
  :: d_step { troubles > 0 && session[0] != LOST -> troubles--; lose(0); wasCut = false }
  :: d_step { troubles > 0 -> troubles--; isFrozen[0] = true; wasCut = false }
  :: d_step { isFrozen[0] && session[0] != LOST -> lose(0) }          /* `idle_session_timeout` */
  :: d_step { isFrozen[0] -> isFrozen[0] = false }
  :: d_step {                                          /* the first runner ends, and another process has its place */
       troubles > 0 && !isFrozen[0] ->
       troubles--;
       lose(0);
       owns[0] = false; snapshot[0] = 0; inDoubt[0] = false; isAlive[0] = true;
       life[0] = 1; isDown = true; wasCut = false
     }
  :: d_step { session[0] == LOST && !isFrozen[0] -> session[0] = (isDown -> KNOWN : OPENED); isDown = false }
  :: d_step { session[1] == LOST -> session[1] = OPENED }
  od
}

inline write(c, decidedOn) {
  version = decidedOn + 1;
  applied++;
  times[c]++;
  assert(version == applied);
  assert(times[c] <= 1)
}

active proctype postgres() {
end:
  do
  :: d_step {
       late > 0 ->
       if
       :: is_new(0) && fits(late - 1) -> write(0, late - 1)
       :: else
       fi;
       late = 0
     }
  od
}

/* A command on its way to the owner, and there. */
proctype command(bit c) {
  bit r;
  byte seen;
send:
  atomic {                                             /* `sendToOwner`, until one answers that has the slot */
    if
    :: owns[0] && !isFrozen[0] -> r = 0
    :: owns[1] && !isFrozen[1] -> r = 1
    fi;
    if                                                 /* decided on the snapshot, or on the row */
    :: snapshot[r] > 0 -> seen = snapshot[r] - 1
    :: else -> seen = version
    fi
  };
  if
  :: atomic {
       goes ->
       if
       :: is_new(c) && fits(seen) -> write(c, seen); snapshot[r] = version + 1
       :: is_new(c) && !fits(seen) -> snapshot[r] = 0; goto send
       :: !is_new(c)                                   /* performed before */
       fi
     }
  :: atomic { c == 0 && mayResend -> mayResend = false; snapshot[r] = 0; late = seen + 1; goto send }
  fi;
  assert(times[c] == 1)
}

/* When nothing can happen any more, the shard has one owner, which has its lock. */
active proctype quiet() {
  timeout -> assert(owns[0] + owns[1] == 1 && held[0] == owns[0] && held[1] == owns[1])
}

init {
  atomic { run keeper(0); run keeper(1); run sharding(0); run sharding(1); run command(0); run command(1) }
}
