import type { Clock } from '../../core/clock.ts';
import type { BoardView } from '../../monitoring/boards/board-view.ts';

/** A board that was made private is gone within this time, in every process. */
const RECHECK_MS = 2_000;
/** A board is made anew after this time at the earliest, and never more than a twentieth of the time. */
const MIN_AGE_MS = 5_000;
const MAX_RENDER_SHARE = 20;
/** While the database is away, what was seen last is shown so long; the page says when it was checked. */
const MAX_STALE_MS = 600_000;
const MAX_BOARDS = 200;
const MAX_MISSES = 1_000;

/** Where boards come from, under whatever names their readers have for them. */
export interface BoardSource {
  /** The version of a board; null when there is none that these readers may see. */
  versionOf(name: string): Promise<string | null>;
  read(name: string): Promise<BoardView | null>;
}

interface CachedBoard<Answers> {
  readonly version: string;
  readonly answers: Answers;
  readonly checkedAt: number;
  readonly renderedAt: number;
  readonly renderMs: number;
}

/** Boards, made once for however many readers: one reads the database, the others get what it made. */
export class BoardCache<Answers> {
  readonly #source: BoardSource;
  readonly #clock: Clock;
  readonly #make: (view: BoardView) => Answers;
  readonly #kept = new Map<string, CachedBoard<Answers>>();
  readonly #missing = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<Answers | null>>();

  constructor(source: BoardSource, clock: Clock, make: (view: BoardView) => Answers) {
    this.#source = source;
    this.#clock = clock;
    this.#make = make;
  }

  /** Null for a board that is unknown to its source. Rejects while the database is away and nothing is kept. */
  async get(slug: string): Promise<Answers | null> {
    const now = this.#clock.monotonic();
    const kept = this.#kept.get(slug);
    if (kept && now - kept.checkedAt < RECHECK_MS) return kept.answers;
    const missed = this.#missing.get(slug);
    if (missed !== undefined && now - missed < RECHECK_MS) return null;
    const running = this.#underWay.get(slug);
    if (running) return running;
    const renewing = this.#renew(slug, kept).finally(() => this.#underWay.delete(slug));
    this.#underWay.set(slug, renewing);
    return renewing;
  }

  async #renew(slug: string, kept: CachedBoard<Answers> | undefined): Promise<Answers | null> {
    const lookedAt = this.#clock.monotonic();
    try {
      const version = await this.#source.versionOf(slug);
      if (version === null) return this.#miss(slug, lookedAt);
      if (
        kept?.version === version &&
        lookedAt - kept.renderedAt < Math.max(MIN_AGE_MS, kept.renderMs * MAX_RENDER_SHARE)
      )
        return this.#keep(slug, { ...kept, checkedAt: lookedAt });
      const view = await this.#source.read(slug);
      if (view === null) return this.#miss(slug, lookedAt);
      const answers = this.#make(view);
      const tookMs = this.#clock.monotonic() - lookedAt;
      return this.#keep(slug, {
        version,
        answers,
        checkedAt: lookedAt,
        renderedAt: lookedAt,
        renderMs: tookMs,
      });
    } catch (error) {
      if (kept && lookedAt - kept.renderedAt < MAX_STALE_MS)
        return this.#keep(slug, { ...kept, checkedAt: lookedAt });
      throw error;
    }
  }

  #keep(slug: string, kept: CachedBoard<Answers>): Answers {
    this.#kept.delete(slug);
    this.#missing.delete(slug);
    if (this.#kept.size >= MAX_BOARDS) dropOldest(this.#kept);
    this.#kept.set(slug, kept);
    return kept.answers;
  }

  #miss(slug: string, at: number): null {
    this.#kept.delete(slug);
    this.#missing.delete(slug);
    if (this.#missing.size >= MAX_MISSES) dropOldest(this.#missing);
    this.#missing.set(slug, at);
    return null;
  }
}

function dropOldest(map: Map<string, unknown>): void {
  const [first] = map.keys();
  if (first !== undefined) map.delete(first);
}
