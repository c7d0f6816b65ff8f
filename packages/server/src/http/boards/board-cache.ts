import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import { FairLruMap } from '../../core/fair-lru-map.ts';
import type { BoardView } from '../../monitoring/boards/board-view.ts';
import type { BoardRenderTimeLimiter } from './board-render-time-limiter.ts';

/** A board that became private disappears within this time, in every process. */
const RECHECK_MS = 2_000;
/** Minimum age before a board is rendered again. */
const MIN_AGE_MS = 5_000;
/**
 * Maximum age of a board that is shown while the database is unavailable. The page shows the time of its
 * data.
 */
const MAX_STALE_MS = 600_000;
/** Maximum size of all cached boards. A board of 500 monitors can need 20 MB. */
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_BOARDS = 200;
/** Each board counts as at least this many bytes, so at most `MAX_BOARDS` boards are cached. */
const MIN_COUNTED_BYTES = MAX_BYTES / MAX_BOARDS;
const MAX_MISSES = 1_000;
/** Maximum time that one database read counts, because most of a long read is waiting. */
const MAX_COUNTED_LOAD_MS = 1_000;

/** The organization of a board, and a text that changes with the settings of the board. */
export interface BoardVersion {
  readonly orgId: string;
  readonly version: string;
}

/** Loads boards by the names in their URLs. */
export interface BoardLoader {
  /** Null if these readers may see no board with this name. */
  versionOf(name: string): Promise<BoardVersion | null>;
  read(name: string): Promise<BoardView | null>;
}

/** The rendered responses of a board. They can be rendered after the board was cached. */
interface RenderedAnswers {
  /** Approximate size in memory. */
  readonly bytes: number;
}

interface CachedBoard<Answers> {
  readonly slug: string;
  /** Size when the board was last requested. */
  readonly bytes: number;
  readonly orgId: string;
  readonly version: string;
  readonly answers: Answers;
  readonly checkedAt: number;
  readonly renderedAt: number;
}

export interface BoardCacheOptions<Answers> {
  readonly source: BoardLoader;
  readonly clock: Clock;
  readonly timeLimiter: BoardRenderTimeLimiter;
  readonly render: (view: BoardView, orgId: string) => Answers;
}

/** Caches rendered boards. Concurrent readers share one database read. */
export class BoardCache<Answers extends RenderedAnswers> {
  readonly #options: BoardCacheOptions<Answers>;
  readonly #clock: Clock;
  readonly #kept = new FairLruMap<CachedBoard<Answers>>(MAX_BYTES, ({ bytes }) => bytes);
  /** The organizations of cached boards, because a URL does not contain them. Can also contain evicted boards. */
  readonly #orgIds = new Map<string, string>();
  readonly #missing = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<Answers | null>>();

  constructor(options: BoardCacheOptions<Answers>) {
    this.#options = options;
    this.#clock = options.clock;
  }

  /**
   * Null for an unknown board.
   * @throws Fault `overloaded` if the board is not cached, and the boards of its organization have taken too much time
   * @throws Error if the board is not cached, and the database is unavailable
   */
  async get(slug: string): Promise<Answers | null> {
    const now = this.#clock.monotonic();
    const kept = this.#find(slug);
    if (kept && now - kept.checkedAt < RECHECK_MS) return this.#keep(kept);
    const missed = this.#missing.get(slug);
    if (missed !== undefined && now - missed < RECHECK_MS) return null;
    const running = this.#underWay.get(slug);
    if (running) return running;
    const renewing = this.#renew(slug, kept).finally(() => this.#underWay.delete(slug));
    this.#underWay.set(slug, renewing);
    return renewing;
  }

  async #renew(slug: string, kept: CachedBoard<Answers> | undefined): Promise<Answers | null> {
    const { source, timeLimiter, render } = this.#options;
    const lookedAt = this.#clock.monotonic();
    try {
      const found = await source.versionOf(slug);
      if (found === null) return this.#miss(slug, lookedAt);
      const { version, orgId } = found;
      const mayRefresh =
        lookedAt - (kept?.renderedAt ?? 0) >= MIN_AGE_MS &&
        timeLimiter.mayRefresh(orgId) &&
        !this.#hasOlderBoard(orgId, kept?.renderedAt ?? 0, lookedAt);
      if (kept?.version === version && !mayRefresh) return this.#keep({ ...kept, checkedAt: lookedAt });
      const waitMs = timeLimiter.waitMs(orgId);
      if (waitMs > 0) throw tooManyBoards(waitMs);
      const startedAt = this.#clock.monotonic();
      const view = await source.read(slug);
      if (view === null) return this.#miss(slug, lookedAt);
      const answers = render(view, orgId);
      timeLimiter.record(orgId, Math.min(MAX_COUNTED_LOAD_MS, this.#clock.monotonic() - startedAt));
      return this.#keep({ slug, orgId, version, answers, checkedAt: lookedAt, renderedAt: lookedAt });
    } catch (error) {
      if (kept && lookedAt - kept.renderedAt < MAX_STALE_MS)
        return this.#keep({ ...kept, checkedAt: lookedAt });
      throw error;
    }
  }

  /**
   * Returns whether visitors are viewing another board of the organization that was rendered earlier. The board that
   * was rendered longest ago is rendered first.
   */
  #hasOlderBoard(orgId: string, renderedAt: number, now: number): boolean {
    for (const other of this.#kept.entriesOf(orgId).values())
      if (other.renderedAt < renderedAt && now - other.checkedAt < MIN_AGE_MS) return true;
    return false;
  }

  #find(slug: string): CachedBoard<Answers> | undefined {
    const orgId = this.#orgIds.get(slug);
    return orgId === undefined ? undefined : this.#kept.get(orgId, slug);
  }

  #keep(kept: Omit<CachedBoard<Answers>, 'bytes'>): Answers {
    const { slug, orgId, answers } = kept;
    const before = this.#find(slug);
    if (before && before.orgId !== orgId) this.#kept.delete(before.orgId, slug);
    this.#missing.delete(slug);
    this.#kept.set(orgId, slug, { ...kept, bytes: Math.max(answers.bytes, MIN_COUNTED_BYTES) });
    this.#orgIds.set(slug, orgId);
    if (this.#orgIds.size > 2 * MAX_BOARDS) this.#forgetEvictedBoards();
    return answers;
  }

  #forgetEvictedBoards(): void {
    for (const [slug, orgId] of this.#orgIds)
      if (!this.#kept.entriesOf(orgId).has(slug)) this.#orgIds.delete(slug);
  }

  #miss(slug: string, at: number): null {
    const kept = this.#find(slug);
    if (kept) this.#kept.delete(kept.orgId, slug);
    this.#orgIds.delete(slug);
    this.#missing.delete(slug);
    if (this.#missing.size >= MAX_MISSES) dropOldest(this.#missing);
    this.#missing.set(slug, at);
    return null;
  }
}

function tooManyBoards(waitMs: number): Fault {
  return new Fault(
    'overloaded',
    'The board cannot be shown yet, because the boards of this organization have used too much CPU time. Try again later.',
    { retryAfterMs: waitMs },
  );
}

function dropOldest(map: Map<string, unknown>): void {
  const [first] = map.keys();
  if (first !== undefined) map.delete(first);
}
