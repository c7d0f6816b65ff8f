import type { Clock, Timer } from '../core/clock.ts';
import type { Timeouts } from '../providers/configured-provider.ts';

export type AttemptPhase = 'connect' | 'headers' | 'first_token' | 'idle';
export type DeadlinePhase = AttemptPhase | 'total';

/** Told when the client of a stream has heard nothing for a while; not a deadline. */
export interface KeepAliveTimer {
  /** Monotonic milliseconds of the next time. */
  nextFireAt(): number;
  onTimer(): void;
  /** Whether silences behind the first content are its business too. */
  readonly continuesAfterContent: boolean;
}

/** How long a stream waits for its first content while another target could answer instead. */
export interface FailoverDeadline {
  /** Milliseconds from the request being sent. */
  readonly ms: number;
  /** Asked when that time is over: whether somebody else could answer now. Asked again later when nobody can. */
  shouldFailOver(): boolean;
}

/** What an attempt is timed by besides the time-outs of its target. */
export interface AttemptTiming {
  /** Monotonic milliseconds at which the exchange was accepted, and at which it must be over. */
  readonly acceptedAt: number;
  readonly deadlineAt: number;
  readonly keepAlive: KeepAliveTimer | null;
  readonly failoverDeadline: FailoverDeadline | null;
}

/**
 * The five deadlines of an attempt on one timer. A byte costs one clock reading, not a new timer: when
 * the timer rings early it is set again for what is left.
 */
export class AttemptDeadlines {
  #clock: Clock;
  #timeouts: Timeouts;
  #onExpired: (phase: DeadlinePhase, afterMs: number) => void;
  #phase: AttemptPhase = 'connect';
  #phaseStartedAt: number;
  #acceptedAt: number;
  #deadlineAt: number;
  #keepAlive: KeepAliveTimer | null;
  #failoverDeadline: FailoverDeadline | null;
  #failOverAt = Number.POSITIVE_INFINITY;
  #timer: Timer | null = null;
  #firesAt = Number.POSITIVE_INFINITY;
  #isPaused = false;

  constructor(
    clock: Clock,
    timeouts: Timeouts,
    { acceptedAt, deadlineAt, keepAlive, failoverDeadline }: AttemptTiming,
    onExpired: (phase: DeadlinePhase, afterMs: number) => void,
  ) {
    this.#clock = clock;
    this.#timeouts = timeouts;
    this.#onExpired = onExpired;
    this.#phaseStartedAt = clock.monotonic();
    this.#acceptedAt = acceptedAt;
    this.#deadlineAt = deadlineAt;
    this.#keepAlive = keepAlive;
    this.#failoverDeadline = failoverDeadline;
    this.#arm();
  }

  enterPhase(phase: AttemptPhase): void {
    this.#phase = phase;
    this.#phaseStartedAt = this.#clock.monotonic();
    if (phase === 'headers') this.#armFailover();
    else if (phase === 'idle') this.#failOverAt = Number.POSITIVE_INFINITY;
    this.#arm();
  }

  /** Content has gone out: silence is the idle deadline's from here on. */
  onContentSent(): void {
    if (!this.#keepAlive?.continuesAfterContent) this.#keepAlive = null;
  }

  /** A byte came from the upstream. */
  onUpstreamByte(): void {
    if (this.#phase === 'idle') this.#phaseStartedAt = this.#clock.monotonic();
  }

  /** The client reads slowly: the upstream is not to blame for the silence until `release`. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.onUpstreamByte();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #armFailover(): void {
    this.#failOverAt = this.#failoverDeadline
      ? this.#phaseStartedAt + this.#failoverDeadline.ms
      : Number.POSITIVE_INFINITY;
  }

  #limitMs(): number {
    switch (this.#phase) {
      case 'connect':
        return this.#timeouts.connectMs;
      case 'headers':
        return this.#timeouts.headersMs;
      case 'first_token':
        return this.#timeouts.firstTokenMs;
      case 'idle':
        return this.#timeouts.idleMs;
    }
  }

  #arm(): void {
    let ringsAt = Math.min(this.#phaseStartedAt + this.#limitMs(), this.#deadlineAt, this.#failOverAt);
    if (this.#keepAlive !== null) ringsAt = Math.min(ringsAt, this.#keepAlive.nextFireAt());
    if (this.#timer !== null && this.#firesAt <= ringsAt) return;
    this.#timer?.cancel();
    this.#firesAt = ringsAt;
    this.#timer = this.#clock.after(Math.max(0, ringsAt - this.#clock.monotonic()), () => this.#onTimer());
  }

  #onTimer(): void {
    this.#timer = null;
    const now = this.#clock.monotonic();
    if (now >= this.#deadlineAt) return this.#onExpired('total', Math.round(now - this.#acceptedAt));
    if (this.#keepAlive !== null && now >= this.#keepAlive.nextFireAt()) this.#keepAlive.onTimer();
    if (this.#isPaused) this.#phaseStartedAt = now;
    if (this.#failoverDeadline !== null && now >= this.#failOverAt) {
      if (this.#failoverDeadline.shouldFailOver())
        return this.#onExpired('first_token', this.#failoverDeadline.ms);
      this.#failOverAt = now + this.#failoverDeadline.ms;
    }
    if (now < this.#phaseStartedAt + this.#limitMs()) return this.#arm();
    this.#onExpired(this.#phase, this.#limitMs());
  }
}
