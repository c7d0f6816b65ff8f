/**
 * The reference: what a monitor's history is by definition, second by second. Written without the engine's code, to be
 * compared with it.
 */
export interface ModelPlan {
  readonly every: ModelSchedule;
  readonly graceMs: number;
  readonly alertAfter: number;
}

/** An interval, or a cron expression with what it means: whether it fires in a second, counted from the full hour (UTC). */
export type ModelSchedule =
  | { readonly intervalMs: number }
  | { readonly cron: string; readonly timezone: string; readonly fires: (second: number) => boolean };

export type ModelEvent =
  | { readonly at: number; readonly kind: 'ok' | 'fail' | 'start' | 'log' }
  | { readonly at: number; readonly kind: 'pause'; readonly until: number | null }
  | { readonly at: number; readonly kind: 'resume' }
  | { readonly at: number; readonly kind: 'plan'; readonly plan: ModelPlan };

export interface ModelHistory {
  readonly checks: readonly string[];
  readonly periods: readonly string[];
  readonly alerts: readonly string[];
}

const SECOND = 1_000;
const HOUR = 3_600_000;
/** A cron job may call this much before its time. */
const EARLY = 5 * SECOND;

/** The promise that follows the instant `t`. */
function following(every: ModelSchedule, t: number): number {
  if ('intervalMs' in every) return t + every.intervalMs;
  for (let at = t + SECOND; ; at += SECOND) if (every.fires((at % HOUR) / SECOND)) return at;
}

export class Model {
  readonly #checks: string[] = [];
  readonly #periods: { at: number; text: string }[] = [];
  readonly #alerts: string[] = [];
  #plan: ModelPlan;
  #state: 'waiting' | 'healthy' | 'failing' | 'paused' = 'waiting';
  #since: number;
  #everBeat = false;
  #base: number;
  /** Next promise; null before the first beat. */
  #promise: number | null = null;
  #deadline: number | null;
  #misses = 0;
  #failingSince = 0;
  #told: number | null = null;
  #windowGiven = false;
  /** When the job last showed its rhythm: the last beat, or a resume. */
  #origin: number;
  #pausedUntil: number | null = null;

  constructor(plan: ModelPlan, at: number) {
    this.#plan = plan;
    this.#since = at;
    this.#base = at;
    this.#origin = at;
    this.#deadline = this.#windowFrom(at);
    this.#enter('waiting', at);
  }

  /** Lives from `from` to `to`, both included; nothing is judged while a gap lasts. */
  run(
    from: number,
    to: number,
    events: readonly ModelEvent[],
    gaps: readonly { readonly startAt: number; readonly endAt: number }[],
  ): ModelHistory {
    for (let t = from; t <= to; t += SECOND) {
      const gap = gaps.find(({ startAt, endAt }) => startAt <= t && t < endAt);
      const ended = gaps.find(({ endAt }) => endAt === t);
      if (this.#state === 'paused' && this.#pausedUntil === t) this.#resume(t);
      if (ended) this.#afterGap(ended);
      if (!gap || gap.startAt === t) this.#judge(t);
      for (const event of events) if (event.at === t) this.#happen(event);
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

  /** The end of a whole window that begins at `t`. */
  #windowFrom(t: number): number {
    return following(this.#plan.every, t) + this.#plan.graceMs;
  }

  #promiseAt(promise: number): void {
    this.#promise = promise;
    this.#deadline = promise + this.#plan.graceMs;
  }

  #judge(t: number): void {
    while (this.#state !== 'paused' && this.#deadline !== null && this.#deadline < t) {
      const deadline = this.#deadline;
      if (this.#promise === null) {
        this.#alerts.push(`never_beaten ${this.#since}`);
        this.#deadline = null;
        return;
      }
      this.#checks.push(`missed ${deadline} ${this.#promise}`);
      this.#broken(deadline);
      this.#promiseAt(following(this.#plan.every, this.#promise));
    }
  }

  #broken(at: number): void {
    if (this.#state !== 'failing') {
      this.#failingSince = at;
      this.#enter('failing', at);
    }
    this.#misses += 1;
    if (this.#misses >= this.#plan.alertAfter && this.#told === null) {
      this.#told = this.#failingSince;
      this.#alerts.push(`failing ${this.#failingSince}`);
    }
  }

  #happen(event: ModelEvent): void {
    const { at } = event;
    switch (event.kind) {
      case 'start':
      case 'log':
        this.#checks.push(`${event.kind === 'start' ? 'started' : 'logged'} ${at}`);
        return;
      case 'ok':
      case 'fail':
        this.#checks.push(`${event.kind === 'ok' ? 'ok' : 'failed'} ${at}`);
        return this.#beaten(event.kind, at);
      case 'pause':
        if (this.#told !== null) this.#alerts.push(`recovered ${this.#told}`);
        this.#told = null;
        if (this.#state !== 'paused') this.#enter('paused', at);
        this.#pausedUntil = event.until;
        this.#promise = null;
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

  #beaten(kind: 'ok' | 'fail', at: number): void {
    this.#everBeat = true;
    if (this.#state === 'paused') return;
    if (kind === 'fail') this.#broken(at);
    else {
      if (this.#told !== null) this.#alerts.push(`recovered ${this.#told}`);
      this.#told = null;
      this.#misses = 0;
      if (this.#state !== 'healthy') this.#enter('healthy', at);
    }
    this.#base = at;
    this.#origin = at;
    this.#windowGiven = false;
    const { every } = this.#plan;
    this.#promiseAt(following(every, 'cron' in every ? at + EARLY : at));
  }

  #resume(at: number): void {
    this.#enter('waiting', at);
    this.#pausedUntil = null;
    this.#windowGiven = false;
    this.#base = at;
    this.#origin = at;
    if (this.#everBeat) this.#promiseAt(following(this.#plan.every, at));
    else this.#deadline = this.#windowFrom(at);
  }

  #change(plan: ModelPlan, at: number): void {
    const before = this.#plan;
    this.#plan = plan;
    if (this.#state === 'paused' || this.#deadline === null) return;
    const same = JSON.stringify(before.every) === JSON.stringify(plan.every);
    if (same && before.graceMs === plan.graceMs) return;
    if (this.#promise === null) {
      this.#deadline = Math.max(this.#windowFrom(this.#since), at);
      return;
    }
    if (!same) this.#promise = this.#promiseOf(plan.every, at);
    this.#deadline = Math.max(this.#promise, at) + plan.graceMs;
  }

  /** A schedule that is new at `at` holds nobody to what lies before, but for the promise under way. */
  #promiseOf(every: ModelSchedule, at: number): number {
    let promise = following(every, this.#base);
    if (this.#state === 'failing') while (promise <= at) promise = following(every, promise);
    else if ('cron' in every) return promise >= at ? promise : following(every, at);
    else while (promise + every.intervalMs <= at) promise += every.intervalMs;
    return promise;
  }

  #afterGap({ startAt, endAt }: { readonly startAt: number; readonly endAt: number }): void {
    if (this.#state === 'paused' || this.#deadline === null) return;
    const { every } = this.#plan;
    const length = endAt - startAt;
    if (this.#promise === null) {
      this.#deadline = this.#windowGiven
        ? this.#deadline + length
        : Math.max(this.#deadline, this.#windowFrom(endAt));
      this.#windowGiven = true;
      return;
    }
    const promise = this.#promise;
    if (promise <= endAt) this.#checks.push(`unknown ${endAt} ${promise}`);
    if (this.#state === 'failing') {
      while (this.#promise <= endAt) this.#promiseAt(following(every, this.#promise));
      return;
    }
    let rhythm = following(every, this.#origin);
    while (rhythm < startAt) rhythm = following(every, rhythm);
    const missedInside = rhythm <= endAt;
    if (this.#windowGiven && !missedInside) {
      // The times of a cron expression do not move; what was promised before the gap gets the gap's length more.
      if ('cron' in every) {
        if (promise <= endAt) this.#deadline += length;
        return;
      }
      this.#base += length;
      this.#promise += length;
      this.#deadline += length;
      return;
    }
    this.#windowGiven = true;
    if (this.#windowFrom(endAt) > this.#deadline) {
      this.#base = endAt;
      this.#promiseAt(following(every, endAt));
    }
  }
}
