import type { Clock, Timer } from '../core/clock.ts';
import type { UpstreamTimeouts } from '../providers/configured-provider.ts';

/** The phases of an attempt. Each phase has its own deadline. */
export type AttemptPhase = 'connect' | 'headers' | 'first_token' | 'idle';
/** The phases of an attempt, plus `total` for the attempt as a whole. */
export type DeadlinePhase = AttemptPhase | 'total';

/**
 * A timer that fires when a stream has sent nothing for some time, so that the connection can be
 * kept alive. It is not a deadline.
 */
export interface KeepAliveTimer {
  /** Returns when `onTimer` is due next, in monotonic milliseconds. */
  nextFireAt(): number;
  onTimer(): void;
  /** Whether the timer continues after the first content. */
  readonly continuesAfterContent: boolean;
}

/**
 * Limits how long a stream may wait for its first content when another target could respond
 * instead.
 */
export interface FailoverDeadline {
  /** The deadline, in milliseconds after the request was sent. */
  readonly ms: number;
  /**
   * Called when the deadline has passed. Returns whether another target could respond now. If none could, it
   * is called again later.
   */
  shouldFailOver(): boolean;
}

/** The times that limit an attempt in addition to the target's timeouts. */
export interface AttemptTiming {
  /** Monotonic milliseconds at which the exchange was accepted, and at which it must end. */
  readonly acceptedAt: number;
  readonly deadlineAt: number;
  readonly keepAlive: KeepAliveTimer | null;
  readonly failoverDeadline: FailoverDeadline | null;
}

/**
 * Enforces the five deadlines of an attempt with one timer. When a byte arrives, only the time is
 * recorded. If the timer fires before the deadline, it is set again for the
 * remaining time.
 */
export class AttemptDeadlines {
  #clock: Clock;
  #timeouts: UpstreamTimeouts;
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
    timeouts: UpstreamTimeouts,
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

  /**
   * Records that content has been sent. Stops a keep-alive timer that is not needed after the first content.
   */
  onContentSent(): void {
    if (!this.#keepAlive?.continuesAfterContent) this.#keepAlive = null;
  }

  /** Records that a byte was received from the provider. This restarts the idle deadline. */
  onUpstreamByte(): void {
    if (this.#phase === 'idle') this.#phaseStartedAt = this.#clock.monotonic();
  }

  /** Stops the deadlines until `resume`, because the client, not the provider, is slow. */
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
