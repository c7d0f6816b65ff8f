import type { Clock, Timer } from '../core/clock.ts';
import type { Timeouts } from '../providers/configured.ts';

export type Phase = 'connect' | 'headers' | 'first_token' | 'idle';
export type ExpiredPhase = Phase | 'total';

/** Told when the client of a stream has heard nothing for a while; not a deadline. */
export interface Quiet {
  /** Monotonic milliseconds of the next time. */
  nextAt(): number;
  ring(): void;
  /** Whether silences behind the first content are its business too. */
  readonly lasting: boolean;
}

/** How long a stream waits for its first content while another target could answer instead. */
export interface Patience {
  /** Milliseconds from the request being sent. */
  readonly ms: number;
  /** Asked when that time is over: whether somebody else could answer now. Asked again later when nobody can. */
  isOver(): boolean;
}

/** What an attempt is timed by besides the time-outs of its target. */
export interface Timing {
  /** Monotonic milliseconds at which the exchange was accepted, and at which it must be over. */
  readonly acceptedAt: number;
  readonly totalAt: number;
  readonly quiet: Quiet | null;
  readonly patience: Patience | null;
}

/**
 * The five deadlines of an attempt on one timer. A byte costs one clock reading, not a new timer: when
 * the timer rings early it is set again for what is left.
 */
export class Deadlines {
  #clock: Clock;
  #timeouts: Timeouts;
  #onExpired: (phase: ExpiredPhase, afterMs: number) => void;
  #phase: Phase = 'connect';
  #since: number;
  #acceptedAt: number;
  #totalAt: number;
  #quiet: Quiet | null;
  #patience: Patience | null;
  #patientUntil = Number.POSITIVE_INFINITY;
  #timer: Timer | null = null;
  #ringsAt = Number.POSITIVE_INFINITY;
  #held = false;

  constructor(
    clock: Clock,
    timeouts: Timeouts,
    { acceptedAt, totalAt, quiet, patience }: Timing,
    onExpired: (phase: ExpiredPhase, afterMs: number) => void,
  ) {
    this.#clock = clock;
    this.#timeouts = timeouts;
    this.#onExpired = onExpired;
    this.#since = clock.monotonic();
    this.#acceptedAt = acceptedAt;
    this.#totalAt = totalAt;
    this.#quiet = quiet;
    this.#patience = patience;
    this.#arm();
  }

  enter(phase: Phase): void {
    this.#phase = phase;
    this.#since = this.#clock.monotonic();
    if (phase === 'headers') this.#bePatient();
    else if (phase === 'idle') this.#patientUntil = Number.POSITIVE_INFINITY;
    this.#arm();
  }

  /** Content has gone out: silence is the idle deadline's from here on. */
  speak(): void {
    if (!this.#quiet?.lasting) this.#quiet = null;
  }

  /** A byte came from the upstream. */
  touch(): void {
    if (this.#phase === 'idle') this.#since = this.#clock.monotonic();
  }

  /** The client reads slowly: the upstream is not to blame for the silence until `release`. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.touch();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #bePatient(): void {
    this.#patientUntil = this.#patience ? this.#since + this.#patience.ms : Number.POSITIVE_INFINITY;
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
    let ringsAt = Math.min(this.#since + this.#limitMs(), this.#totalAt, this.#patientUntil);
    if (this.#quiet !== null) ringsAt = Math.min(ringsAt, this.#quiet.nextAt());
    if (this.#timer !== null && this.#ringsAt <= ringsAt) return;
    this.#timer?.cancel();
    this.#ringsAt = ringsAt;
    this.#timer = this.#clock.after(Math.max(0, ringsAt - this.#clock.monotonic()), () => this.#ring());
  }

  #ring(): void {
    this.#timer = null;
    const now = this.#clock.monotonic();
    if (now >= this.#totalAt) return this.#onExpired('total', Math.round(now - this.#acceptedAt));
    if (this.#quiet !== null && now >= this.#quiet.nextAt()) this.#quiet.ring();
    if (this.#held) this.#since = now;
    if (this.#patience !== null && now >= this.#patientUntil) {
      if (this.#patience.isOver()) return this.#onExpired('first_token', this.#patience.ms);
      this.#patientUntil = now + this.#patience.ms;
    }
    if (now < this.#since + this.#limitMs()) return this.#arm();
    this.#onExpired(this.#phase, this.#limitMs());
  }
}
