/*
 * The claim of an Idempotency-Key through its whole life. Three requests with one key come at any time, to two runners.
 * The operation is one of a single change, which brings the key's row along, or one that calls outside and takes the
 * claim before. A runner ends anywhere, loses its session, an answer of the database is lost and the change written
 * late or never, leases run out, and the row is kept no longer.
 *
 * Stands for src/shared/idempotency: Idempotency.ts (`claimedBefore`, `alongWith`, `decide`), IdempotencyKeys.ts
 * (`take`, `meet`, `look`, `finish`, `endLater`), Answering.ts (`withRenewal`, `withAnswer`), `judge` in
 * judge.ts, and `isAbandoned` in packages/cluster/src/Runs.ts. Guards:
 *
 *   NO_FENCE       a change is written only with the version of the claim that its request holds
 *   NO_RENEWAL     so is a change that is not yet the answer's
 *   NO_UNIQUE      a row that comes along fails its change when the key is taken
 *   NO_ONE_COMMIT  the answer is written in the transaction of the change
 *   NO_CHANCE      the first version of a claim is another one each time
 *   NO_OWN_COUNT   so is that of a claim that is taken over: its holder counts to the next one itself
 *   NO_HERE        a claim of this very run is abandoned only if no request here holds it
 *   NO_EARLY_HERE  it counts as held before its row is there
 *   NO_LOOK        a refusal is answered only after a look at the key's row
 *   NO_EXPIRY      the lease ends by itself
 */
#define REQUESTS 3

mtype = { none, running, done, released };             /* the row's state; `none`: there is no row */
mtype = { insert_claim, take_over, renew, answer, along };                     /* changes */

bool isAlong, isOver, isExcused, isDead;
mtype state = none;
byte version, by, made, ended, told;
bit owner;
bool session[2] = true;
byte here[2], atWork[2];
byte mayLose = 1, mayGo = 1, started;

typedef Late { mtype change; byte replaces; byte i; bit r };
Late late;                                             /* a change whose answer was lost */

#ifdef NO_FENCE
#define is_fenced false
#else
#define is_fenced true
#endif
#ifdef NO_RENEWAL
#define renew_is_fenced false
#else
#define renew_is_fenced is_fenced
#endif
#ifdef NO_UNIQUE
#define is_unique false
#else
#define is_unique true
#endif
#ifdef NO_ONE_COMMIT
#define in_one 0
#define SPLIT_ALONG atomic { state == none -> ended++ };
#define SPLIT_ANSWER atomic { holds(v) -> ended++ };
#else
#define in_one 1
#define SPLIT_ALONG
#define SPLIT_ANSWER
#endif
#ifdef NO_CHANCE
#define chance 1
#else
#define chance (1 + 16 * i)
#endif
#ifdef NO_OWN_COUNT
#define taken_over(has, who) (has + 1)
#else
#define taken_over(has, who) (1 + 16 * who)
#endif
#ifdef NO_HERE
#define held_here false
#else
#define held_here (here[r] > 0)
#endif
#ifdef NO_EARLY_HERE
#define early 0
#define LATE_HERE here[r]++;
#else
#define early 1
#define LATE_HERE
#endif
#ifdef NO_EXPIRY
#define expires false
#else
#define expires true
#endif

#define holds(v) (state != none && version == v)

/* Changes, each a transaction: the row, and what the request has made. */
inline put(now_is, number) { state = now_is; version = number; isOver = false }
inline sure() { assert(made <= 1 && ended <= 1) }       /* what is asked for once is done once */
inline inserting(has, at) {
  ok = false;
  if
  :: state == none -> put(running, has); owner = at; ok = true
  :: else
  fi
}
inline taking_over(has, who, at) {
  ok = false;
  if
  :: holds(has) -> put(running, taken_over(has, who)); owner = at; ok = true
  :: else
  fi
}
inline renewing(has) {                                 /* with the first change */
  ok = false;
  if
  :: holds(has) || !renew_is_fenced -> made++; put(running, has + 1); ok = true
  :: else
  fi;
  sure()
}
inline answering(has, who) {                           /* with the last change */
  ok = false;
  if
  :: holds(has) || !is_fenced -> put(done, has + 1); by = who + 1; ended = ended + in_one; ok = true
  :: else
  fi;
  sure()
}
inline bringing_along(has, who) {
  ok = false;
  if
  :: state == none || !is_unique -> put(done, has + 1); by = who + 1; ended = ended + in_one; ok = true
  :: else
  fi;
  sure()
}
inline releasing(has) {
  ok = false;
  if
  :: holds(has) -> put(released, has + 1)
  :: else
  fi
}

inline begin() {                                       /* two are at work at once only if one was taken for dead */
  assert(isExcused || atWork[0] + atWork[1] == 0);
  atWork[r] = (isExcused -> 0 : 1)
}
inline leave() { atWork[r] = 0 }
inline excuse() { isExcused = true; atWork[0] = 0; atWork[1] = 0 }

inline forget() { late.change = 0; late.replaces = 0; late.i = 0; late.r = 0 }

active proctype world() {
  bool ok;
end:
  do
  :: d_step {                                          /* a write without a waiter is done, or is not */
       late.change != 0 ->
       if
       :: late.change == insert_claim -> inserting(late.replaces, late.r)
       :: late.change == take_over -> taking_over(late.replaces, late.i, late.r)
       :: late.change == renew -> renewing(late.replaces)
       :: late.change == answer -> answering(late.replaces, late.i)
       :: late.change == along -> bringing_along(late.replaces, late.i)
       fi;
       ok = false;
       forget()
     }
  :: d_step { late.change != 0 -> forget() }
  :: d_step { state == running && !isOver && expires -> isOver = true; if :: atWork[owner] > 0 -> excuse() :: else fi }
  :: d_step { session[0] && mayGo > 0 -> mayGo--; session[0] = false; excuse() }
  :: d_step { !session[0] && !isDead -> session[0] = true }
  :: d_step { mayGo > 0 -> mayGo--; isDead = true; session[0] = false; here[0] = 0; atWork[0] = 0 }
  :: d_step {                                          /* kept no longer: the key is a new one */
       mayGo > 0 && (state == done || state == released) ->
       mayGo--;
       state = none; version = 0; by = 0;
       made = 0; ended = 0; told = 0
     }
  od
}

inline tell(whose) { assert(ended == 1 && (told == 0 || told == whose)); told = whose }

#define loses(what, has) mayLose > 0 -> mayLose--; late.change = what; late.replaces = has; late.i = i; late.r = r
#define isAbandoned (!held_here && (owner == r || !session[owner]))
#define isFree (state == released || (state == running && (isOver || isAbandoned)))

proctype request(byte i) {
  bit r;
  byte v;
  bool ok;
  atomic {
    started == i && i < REQUESTS -> started++;
    if
    :: i < 2 && !isDead -> r = 0
    :: i > 0 -> r = 1
    :: i == 0 && isDead -> r = 1
    fi
  };
  {
    if
    :: isAlong -> goto handle
    :: !isAlong -> goto before
    fi;

handle:                                                /* `alongWith`: the handler refuses, or makes its one change */
    if
    :: goto refused
    :: atomic { loses(along, chance); goto over }
    :: SPLIT_ALONG
       atomic {
         bringing_along(chance, i);
         if
         :: ok -> tell(i + 1); goto over
         :: else -> goto meet
         fi
       }
    fi;
refused:                                               /* `decide` */
    atomic {
#ifndef NO_LOOK
      if
      :: state == done -> tell(by); goto over
      :: state != none && state != done && isFree -> goto before
      :: state == running && !isFree -> goto over      /* 409 */
      :: state == none
      fi;
#endif
      assert(ended == 0);                              /* what was done is not refused to its repeat */
      goto over
    };
before:                                                /* `claim`, `take` */
    atomic { v = chance; here[r] = here[r] + early };
    if
    :: atomic { loses(insert_claim, v); here[r] = here[r] - early; goto later }
    :: atomic {
         inserting(v, r);
         if
         :: ok -> begin(); goto work
         :: else -> here[r] = here[r] - early; goto meet
         fi
       }
    fi;
meet:                                                  /* `look`, `judge` */
    atomic {
      if
      :: state == done -> tell(by); goto over
      :: state == none || (state == running && !isFree) -> goto over           /* 409 */
      :: state != none && state != done && isFree -> v = version; here[r] = here[r] + early
      fi
    };
    if
    :: atomic { loses(take_over, v); v = taken_over(v, i); here[r] = here[r] - early; goto later }
    :: atomic {
         taking_over(v, i, r);
         if
         :: ok -> v = taken_over(v, i); begin()
         :: else -> here[r] = here[r] - early; goto over                       /* 409 */
         fi
       }
    fi;
work:                                                  /* a first change, unless an earlier request has made it */
    LATE_HERE
    if
    :: made > 0
    :: atomic { made == 0 -> leave(); goto finish }                        /* it refuses */
    :: atomic { made == 0 && loses(renew, v); leave(); goto finish }
    :: atomic {                                        /* `withRenewal` */
         made == 0 ->
         renewing(v);
         if
         :: ok -> v++
         :: else -> leave(); goto finish
         fi
       }
    fi;
    if                                                 /* `withAnswer` */
    :: atomic { loses(answer, v); leave(); goto finish }
    :: SPLIT_ANSWER
       atomic {
         answering(v, i);
         leave();
         if
         :: ok -> tell(i + 1); here[r]--; goto over
         :: else
         fi
       }
    fi;
finish:                                                /* no answer to keep: the key is free */
    atomic { releasing(v); here[r]--; goto over };
later:                                                 /* `endLater`, if the runner does not end before */
    atomic { releasing(v) };
over:
    atomic { v = 0; ok = false; r = 1 }
  } unless { r == 0 && isDead }
}

/* When nothing can happen any more, a request of the other runner would be answered or go on. */
active proctype quiet() {
  bit r = 1;
  timeout -> assert(state == none || state == done || isFree)
}

init {
  atomic {
    if
    :: isAlong = true
    :: isAlong = false
    fi;
    run request(0); run request(1); run request(2)
  }
}
