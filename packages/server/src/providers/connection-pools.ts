/** A pool of connections that can be removed while it has none. */
interface ConnectionPool {
  /** Whether the pool has no connection and no request. */
  readonly isUnused: boolean;
  close(): void | Promise<void>;
}

/** Number of pools above which unused ones are removed. Removing them more often would cost more than it saves. */
const MIN_POOLS_TO_SWEEP = 64;

/**
 * Connection pools by key. When their number has doubled, removes the unused ones, so that pools of earlier
 * configurations do not accumulate.
 */
export class ConnectionPools<Pool extends ConnectionPool> {
  readonly #pools = new Map<string, Pool>();
  #sweepAt = MIN_POOLS_TO_SWEEP;

  get size(): number {
    return this.#pools.size;
  }

  get(key: string): Pool | undefined {
    return this.#pools.get(key);
  }

  add(key: string, pool: Pool): void {
    if (this.#pools.size >= this.#sweepAt) this.#removeUnused();
    this.#pools.set(key, pool);
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.close()));
  }

  #removeUnused(): void {
    for (const [key, pool] of this.#pools) {
      if (!pool.isUnused) continue;
      this.#pools.delete(key);
      void pool.close();
    }
    this.#sweepAt = Math.max(MIN_POOLS_TO_SWEEP, this.#pools.size * 2);
  }
}
