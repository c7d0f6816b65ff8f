import type { Clock } from '../core/clock.ts';
import {
  type AuditAnchor,
  type AuditChainState,
  listAnchorsAt,
  verifyAuditChain,
  verifyAuditChainFrom,
} from '../store/audit-chain.ts';
import type { DatabaseReader } from '../store/ports.ts';

/** How long the word of a whole walk holds: 100,000 entries cost half a second of CPU. */
const FULL_CHECK_INTERVAL_MS = 60_000;

/** What is known of a chain, and when all of it was walked. */
export interface VerifiedChain extends AuditChainState {
  /** Milliseconds since the epoch. */
  readonly checkedAt: number;
}

/** What an entry was when it was written down elsewhere. */
export type ExternalAnchor = Pick<AuditAnchor, 'seq' | 'hash'>;

/** Whether the entry of an anchor is still what it was; `expired` when retention took it. */
export interface AnchorCheck {
  readonly seq: number;
  readonly status: 'matches' | 'differs' | 'missing' | 'expired';
}

interface ChainCheck {
  readonly begunAt: number;
  readonly chain: Promise<VerifiedChain>;
}

/**
 * The audit chains of orgs, each walked whole at most once a minute however often it is asked for: anybody who may read could
 * keep the process busy otherwise. In between only what was added is checked (decisions/0103-issuer-isolation-audit-chain-checks-and-closed-months.md).
 */
export class AuditChainVerifier {
  readonly #checks = new Map<string, ChainCheck>();

  async check(reader: DatabaseReader, orgId: string, clock: Clock): Promise<VerifiedChain> {
    const now = clock.monotonic();
    const known = this.#checks.get(orgId);
    if (!known || now - known.begunAt >= FULL_CHECK_INTERVAL_MS)
      return this.#verifyWholeChain(reader, orgId, clock);
    const chain = await known.chain;
    if (chain.brokenAtSeq !== null) return chain;
    const extended = await verifyAuditChainFrom(reader, orgId, chain);
    // What it was extended from is not there any more: that is for a whole walk to judge.
    return extended === null
      ? this.#verifyWholeChain(reader, orgId, clock)
      : { ...extended, checkedAt: chain.checkedAt };
  }

  /** Checks a chain, and anchors of it that were kept elsewhere. */
  async verify(
    reader: DatabaseReader,
    orgId: string,
    anchors: readonly ExternalAnchor[],
    clock: Clock,
  ): Promise<{ readonly chain: VerifiedChain; readonly anchors: readonly AnchorCheck[] }> {
    const chain = await this.check(reader, orgId, clock);
    const seqs = anchors.map(({ seq }) => seq);
    const kept = new Map((await listAnchorsAt(reader, orgId, seqs)).map((entry) => [entry.seq, entry]));
    return {
      chain,
      anchors: anchors.map((anchor) => ({
        seq: anchor.seq,
        status: statusOf(anchor, kept.get(anchor.seq), chain),
      })),
    };
  }

  #verifyWholeChain(reader: DatabaseReader, orgId: string, clock: Clock): Promise<VerifiedChain> {
    const begunAt = clock.monotonic();
    const checkedAt = clock.now();
    for (const [id, walked] of this.#checks)
      if (begunAt - walked.begunAt >= FULL_CHECK_INTERVAL_MS) this.#checks.delete(id);
    const chain = verifyAuditChain(reader, orgId).then((state) => ({ ...state, checkedAt }));
    const walked = { begunAt, chain };
    this.#checks.set(orgId, walked);
    chain.catch(() => {
      if (this.#checks.get(orgId) === walked) this.#checks.delete(orgId);
    });
    return chain;
  }
}

function statusOf(
  anchor: ExternalAnchor,
  entry: ExternalAnchor | undefined,
  { firstSeq }: AuditChainState,
): AnchorCheck['status'] {
  if (entry) return entry.hash === anchor.hash ? 'matches' : 'differs';
  return firstSeq !== null && anchor.seq < firstSeq ? 'expired' : 'missing';
}
