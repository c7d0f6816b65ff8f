/**
 * A reference model of a monitor's history, computed second by second. It shares no code with the
 * engine. Tests compare the engine with it.
 */
export interface MonitorModelPlan {
  readonly schedule: MonitorModelSchedule;
  readonly graceMs: number;
  readonly alertAfter: number;
  /** Whether a failure that the job reports counts as one miss. */
  readonly failIsMiss?: boolean;
}

/**
 * An interval, or a cron expression with a function that tells whether it fires at a second after
 * the full hour (UTC).
 */
export type MonitorModelSchedule =
  | { readonly intervalMs: number }
  | { readonly cron: string; readonly timezone: string; readonly fires: (second: number) => boolean };

export type MonitorModelEvent =
  | { readonly at: number; readonly kind: 'ok' | 'fail' | 'start' | 'log' }
  | { readonly at: number; readonly kind: 'pause'; readonly until: number | null }
  | { readonly at: number; readonly kind: 'resume' }
  | { readonly at: number; readonly kind: 'plan'; readonly plan: MonitorModelPlan };

export interface MonitorModelGap {
  readonly startAt: number;
  readonly endAt: number;
  /** The clock was set forward. */
  readonly isClockJump?: boolean;
}

export interface MonitorModelHistory {
  readonly checks: readonly string[];
  readonly periods: readonly string[];
  readonly alerts: readonly string[];
}

const SECOND = 1_000;
const HOUR = 3_600_000;
/** How much before its time the beat of a cron job may arrive. */
const EARLY = 5 * SECOND;

/** The expected time after `t`. */
function nextExpected(every: MonitorModelSchedule, t: number): number {
  if ('intervalMs' in every) return t + every.intervalMs;
  for (let at = t + SECOND; ; at += SECOND) if (every.fires((at % HOUR) / SECOND)) return at;
}

/** Milliseconds from the previous time of the schedule to `promise`. */
function intervalBefore(every: MonitorModelSchedule, promise: number): number {
  if ('intervalMs' in every) return every.intervalMs;
  for (let at = promise - SECOND; ; at -= SECOND) if (every.fires((at % HOUR) / SECOND)) return promise - at;
}

export class MonitorModel {
  readonly #checks: string[] = [];
  readonly #periods: { at: number; text: string }[] = [];
  readonly #alerts: string[] = [];
  #plan: MonitorModelPlan;
  #state: 'waiting' | 'healthy' | 'failing' | 'paused' = 'waiting';
  #since: number;
  #everBeat = false;
  #base: number;
  /** The next expected beat. Null before the first beat. */
  #expectedAt: number | null = null;
  #deadline: number | null;
  #misses = 0;
  #failingSince = 0;
  #alertedSince: number | null = null;
  /** The deadline before a gap moved it, since the last beat or resume. */
  #firstDeadline: number | null = null;
  /** Every beat, oldest first. */
  readonly #beats: number[] = [];
  #pausedUntil: number | null = null;

  constructor(plan: MonitorModelPlan, at: number) {
    this.#plan = plan;
    this.#since = at;
    this.#base = at;
    this.#deadline = this.#windowFrom(at);
    this.#enter('waiting', at);
  }

  /** Runs from `from` to `to`, both inclusive. Nothing is evaluated during a gap. */
  run(
    from: number,
    to: number,
    events: readonly MonitorModelEvent[],
    gaps: readonly MonitorModelGap[],
  ): MonitorModelHistory {
    for (let t = from; t <= to; t += SECOND) {
      const gap = gaps.find(({ startAt, endAt }) => startAt <= t && t < endAt);
      const ended = gaps.find(({ endAt }) => endAt === t);
      if (this.#state === 'paused' && this.#pausedUntil === t) this.#resume(t);
      if (ended) this.#afterGap(ended);
      if (!gap || gap.startAt === t) this.#evaluate(t);
      for (const event of events) if (event.at === t) this.#applyEvent(event);
    }
    return {
      checks: this.#checks.toSorted(),
      periods: this.#periods.map(({ at, text }) => `${at} ${text}`),
      alerts: this.#alerts.toSorted(),
    };
  }

  #enter(state: typeof this.state, at: number): void {
    this.#state = state;
    this.#since = Math.max(at, this.#since);
    if (this.#periods.at(-1)?.at === this.#since) this.#periods.pop();
    this.#periods.push({ at: this.#since, text: state });
  }

  get state() {
    return this.#state;
  }

  /** The end of a new window that begins at `t`. */
  #windowFrom(t: number): number {
    return nextExpected(this.#plan.schedule, t) + this.#plan.graceMs;
  }

  #expectAt(promise: number): void {
    this.#expectedAt = promise;
    this.#deadline = promise + this.#plan.graceMs;
  }

  #evaluate(t: number): void {
    while (this.#state !== 'paused' && this.#deadline !== null && this.#deadline < t) {
      const deadline = this.#deadline;
      if (this.#expectedAt === null) {
        this.#alerts.push(`never_beaten ${this.#since}`);
        this.#deadline = null;
        return;
      }
      this.#checks.push(`missed ${deadline} ${this.#expectedAt}`);
      this.#recordMiss(deadline, 'missed');
      this.#expectAt(nextExpected(this.#plan.schedule, this.#expectedAt));
    }
  }

  #recordMiss(at: number, why: 'missed' | 'failed'): void {
    if (this.#state !== 'failing') {
      this.#failingSince = at;
      this.#enter('failing', at);
    }
    this.#misses += 1;
    const isEnough =
      this.#misses >= this.#plan.alertAfter || (why === 'failed' && this.#plan.failIsMiss !== true);
    if (isEnough && this.#alertedSince === null) {
      this.#alertedSince = this.#failingSince;
      this.#alerts.push(`failing ${this.#failingSince}`);
    }
  }

  #applyEvent(event: MonitorModelEvent): void {
    const { at } = event;
    switch (event.kind) {
      case 'start':
      case 'log':
        this.#checks.push(`${event.kind === 'start' ? 'started' : 'logged'} ${at}`);
        return;
      case 'ok':
      case 'fail':
        this.#checks.push(`${event.kind === 'ok' ? 'ok' : 'failed'} ${at}`);
        return this.#recordBeat(event.kind, at);
      case 'pause':
        if (this.#alertedSince !== null) this.#alerts.push(`recovered ${this.#alertedSince}`);
        this.#alertedSince = null;
        if (this.#state !== 'paused') this.#enter('paused', at);
        this.#pausedUntil = event.until;
        this.#expectedAt = null;
        this.#deadline = null;
        this.#misses = 0;
        return;
      case 'resume':
        if (this.#state === 'paused') this.#resume(at);
        return;
      case 'plan':
        return this.#change(event.plan, at);
    }
  }

  #recordBeat(kind: 'ok' | 'fail', at: number): void {
    this.#everBeat = true;
    this.#beats.push(at);
    if (this.#state === 'paused') return;
    if (kind === 'fail') this.#recordMiss(at, 'failed');
    else {
      if (this.#alertedSince !== null) this.#alerts.push(`recovered ${this.#alertedSince}`);
      this.#alertedSince = null;
      this.#misses = 0;
      if (this.#state !== 'healthy') this.#enter('healthy', at);
    }
    this.#base = at;
    this.#firstDeadline = null;
    const { schedule } = this.#plan;
    this.#expectAt(nextExpected(schedule, 'cron' in schedule ? at + EARLY : at));
  }

  #resume(at: number): void {
    this.#enter('waiting', at);
    this.#pausedUntil = null;
    this.#firstDeadline = null;
    this.#base = at;
    if (this.#everBeat) this.#expectAt(nextExpected(this.#plan.schedule, at));
    else this.#deadline = this.#windowFrom(at);
  }

  #change(plan: MonitorModelPlan, at: number): void {
    const before = this.#plan;
    this.#plan = plan;
    if (this.#state === 'paused' || this.#deadline === null) return;
    const same = JSON.stringify(before.schedule) === JSON.stringify(plan.schedule);
    if (same && before.graceMs === plan.graceMs) return;
    if (this.#expectedAt === null) {
      const end = this.#windowFrom(this.#base);
      if (end !== this.#deadline) this.#deadline = Math.max(end, at + plan.graceMs);
      return;
    }
    if (!same) this.#expectedAt = this.#nextExpectedAt(plan.schedule, at);
    this.#deadline = Math.max(this.#expectedAt, at) + plan.graceMs;
  }

  /** With a schedule that changes at `at`, no earlier beat is expected, except the current one. */
  #nextExpectedAt(every: MonitorModelSchedule, at: number): number {
    let promise = nextExpected(every, this.#base);
    if (this.#state === 'failing') while (promise <= at) promise = nextExpected(every, promise);
    else if ('cron' in every) return promise >= at ? promise : nextExpected(every, at);
    else while (promise + every.intervalMs <= at) promise += every.intervalMs;
    return promise;
  }

  #afterGap({ startAt, endAt, isClockJump = false }: MonitorModelGap): void {
    const deadline = this.#deadline;
    if (this.#state === 'paused' || deadline === null) return;
    const { schedule, graceMs } = this.#plan;
    if (this.#firstDeadline !== null && this.#firstDeadline < startAt) {
      // A new window was already given. If a deadline passed in the gap, it moves by the length of the gap.
      if (endAt < deadline) return;
      this.#deadline = endAt + (deadline - startAt);
      if (this.#expectedAt === null || 'intervalMs' in schedule) {
        if (this.#expectedAt !== null) this.#expectedAt += endAt - startAt;
        this.#base += endAt - startAt;
        return;
      }
      while (nextExpected(schedule, this.#expectedAt) <= endAt)
        this.#expectedAt = nextExpected(schedule, this.#expectedAt);
      this.#deadline = Math.min(this.#deadline, nextExpected(schedule, endAt) + graceMs);
      return;
    }
    if (this.#expectedAt === null) {
      this.#firstDeadline ??= deadline;
      this.#base = endAt;
      this.#deadline = Math.max(deadline, this.#windowFrom(endAt));
      return;
    }
    const promise = this.#expectedAt;
    if (this.#state === 'failing') {
      if (promise > endAt) return;
      this.#firstDeadline ??= deadline;
      this.#checks.push(`unknown ${endAt} ${promise}`);
      while (this.#expectedAt <= endAt) this.#expectAt(nextExpected(schedule, this.#expectedAt));
      return;
    }
    if (this.#firstDeadline === null && endAt <= this.#earliestArrival(promise)) {
      if (isClockJump && 'intervalMs' in schedule) {
        this.#expectedAt = promise + endAt - startAt;
        this.#deadline = deadline + endAt - startAt;
      }
      return;
    }
    const next = nextExpected(schedule, 'cron' in schedule ? endAt + EARLY : endAt);
    if (next + graceMs <= deadline) return;
    if (promise <= endAt) this.#checks.push(`unknown ${endAt} ${promise}`);
    this.#firstDeadline ??= deadline;
    this.#base = endAt;
    this.#expectAt(next);
  }

  #earliestArrival(promise: number): number {
    const last = this.#beats.at(-1);
    if (this.#state === 'waiting' || last === undefined) return this.#since;
    const { schedule } = this.#plan;
    const recent = this.#beats.slice(-21);
    const distances = recent
      .slice(1)
      .map((at, n) => at - (recent[n] ?? 0))
      .sort((one, other) => one - other);
    const half = distances.length / 2;
    const median =
      distances.length === 0
        ? Number.POSITIVE_INFINITY
        : ((distances[Math.ceil(half) - 1] ?? 0) + (distances[Math.floor(half)] ?? 0)) / 2;
    const early = 'cron' in schedule ? EARLY : 0;
    return Math.min(last + 0.75 * Math.min(intervalBefore(schedule, promise), median), promise - early);
  }
}
