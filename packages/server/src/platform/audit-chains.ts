import type { Clock } from '../core/clock.ts';
import {
  type AuditAnchor,
  type ChainState,
  checkChain,
  entriesAt,
  extendChain,
} from '../store/audit-chain.ts';
import type { Reader } from '../store/ports.ts';

/** How long the word of a whole walk holds: 100,000 entries cost half a second of CPU. */
const WHOLE_MS = 60_000;

/** What is known of a chain, and when all of it was walked. */
export interface CheckedChain extends ChainState {
  /** Milliseconds since the epoch. */
  readonly checkedAt: number;
}

/** What an entry was when it was written down elsewhere. */
export type KeptAnchor = Pick<AuditAnchor, 'seq' | 'hash'>;

/** Whether the entry of an anchor is still what it was; `expired` when retention took it. */
export interface CheckedAnchor {
  readonly seq: number;
  readonly status: 'matches' | 'differs' | 'missing' | 'expired';
}

interface Walked {
  readonly begunAt: number;
  readonly chain: Promise<CheckedChain>;
}

/**
 * The audit chains of orgs, each walked whole at most once a minute however often it is asked for: anybody who may read could
 * keep the process busy otherwise. In between only what was added is checked (decisions/0103-what-one-may-rely-on.md).
 */
export class AuditChains {
  readonly #walked = new Map<string, Walked>();

  async check(reader: Reader, orgId: string, clock: Clock): Promise<CheckedChain> {
    const now = clock.monotonic();
    const known = this.#walked.get(orgId);
    if (!known || now - known.begunAt >= WHOLE_MS) return this.#walk(reader, orgId, clock);
    const chain = await known.chain;
    if (chain.brokenAt !== null) return chain;
    const extended = await extendChain(reader, orgId, chain);
    // What it was extended from is not there any more: that is for a whole walk to judge.
    return extended === null ? this.#walk(reader, orgId, clock) : { ...extended, checkedAt: chain.checkedAt };
  }

  /** Checks a chain, and anchors of it that were kept elsewhere. */
  async verify(
    reader: Reader,
    orgId: string,
    anchors: readonly KeptAnchor[],
    clock: Clock,
  ): Promise<{ readonly chain: CheckedChain; readonly anchors: readonly CheckedAnchor[] }> {
    const chain = await this.check(reader, orgId, clock);
    const seqs = anchors.map(({ seq }) => seq);
    const kept = new Map((await entriesAt(reader, orgId, seqs)).map((entry) => [entry.seq, entry]));
    return {
      chain,
      anchors: anchors.map((anchor) => ({
        seq: anchor.seq,
        status: statusOf(anchor, kept.get(anchor.seq), chain),
      })),
    };
  }

  #walk(reader: Reader, orgId: string, clock: Clock): Promise<CheckedChain> {
    const begunAt = clock.monotonic();
    const checkedAt = clock.now();
    for (const [id, walked] of this.#walked)
      if (begunAt - walked.begunAt >= WHOLE_MS) this.#walked.delete(id);
    const chain = checkChain(reader, orgId).then((state) => ({ ...state, checkedAt }));
    const walked = { begunAt, chain };
    this.#walked.set(orgId, walked);
    chain.catch(() => {
      if (this.#walked.get(orgId) === walked) this.#walked.delete(orgId);
    });
    return chain;
  }
}

function statusOf(
  anchor: KeptAnchor,
  entry: KeptAnchor | undefined,
  { firstSeq }: ChainState,
): CheckedAnchor['status'] {
  if (entry) return entry.hash === anchor.hash ? 'matches' : 'differs';
  return firstSeq !== null && anchor.seq < firstSeq ? 'expired' : 'missing';
}
