import type { Clock } from '../../core/clock.ts';
import type { BoardView } from '../../monitoring/boards/board-view.ts';

/** A board that became private disappears within this time, in every process. */
const RECHECK_MS = 2_000;
/** Minimum age before a board is rendered again. Rendering takes at most a twentieth of the time. */
const MIN_AGE_MS = 5_000;
const MAX_RENDER_SHARE = 20;
/**
 * Maximum age of a board that is shown while the database is unavailable. The page shows the time of its
 * data.
 */
const MAX_STALE_MS = 600_000;
const MAX_BOARDS = 200;
const MAX_MISSES = 1_000;

/** Loads boards by the names in their URLs. */
export interface BoardLoader {
  /** The version of a board. Null if these readers may see no board with this name. */
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

/** Caches rendered boards. Concurrent readers share one database read. */
export class BoardCache<Answers> {
  readonly #source: BoardLoader;
  readonly #clock: Clock;
  readonly #make: (view: BoardView) => Answers;
  readonly #kept = new Map<string, CachedBoard<Answers>>();
  readonly #missing = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<Answers | null>>();

  constructor(source: BoardLoader, clock: Clock, make: (view: BoardView) => Answers) {
    this.#source = source;
    this.#clock = clock;
    this.#make = make;
  }

  /** Null for an unknown board. Rejects if the database is unavailable and the board is not cached. */
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
