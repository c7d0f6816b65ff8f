import type { Clock } from '../core/clock.ts';
import {
  type AuditAnchor,
  type AuditChainVerificationResult,
  listAuditAnchorsBySequence,
  verifyAuditChain,
  verifyAuditChainFrom,
} from '../store/audit-chain.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';

/** How long the result of a full verification is reused. 100,000 entries need half a second of CPU. */
const FULL_CHECK_INTERVAL_MS = 60_000;

/** The verification result of an audit chain, and when the chain was last verified completely. */
export interface TimestampedAuditChainVerificationResult extends AuditChainVerificationResult {
  /** Milliseconds since the epoch. */
  readonly checkedAt: number;
}

/** The sequence number and hash of an audit entry that were stored outside Floe. */
export type ExternalAuditAnchor = Pick<AuditAnchor, 'seq' | 'hash'>;

/**
 * Whether the entry that an anchor refers to is unchanged. `expired` means that retention deleted
 * the entry.
 */
export interface AuditAnchorVerification {
  readonly seq: number;
  readonly status: 'matches' | 'differs' | 'missing' | 'expired';
}

interface ChainCheck {
  readonly begunAt: number;
  readonly chain: Promise<TimestampedAuditChainVerificationResult>;
}

/**
 * Verifies the audit chains of organizations. Each chain is verified completely at most once a
 * minute, so that frequent requests do not use up the CPU. In between, only new entries are
 * verified (decisions/0103-issuer-isolation-audit-chain-verification-and-monthly-reports.md).
 */
export class AuditChainVerifier {
  readonly #checks = new Map<string, ChainCheck>();

  async check(
    reader: DatabaseReader,
    orgId: string,
    clock: Clock,
  ): Promise<TimestampedAuditChainVerificationResult> {
    const now = clock.monotonic();
    const known = this.#checks.get(orgId);
    if (!known || now - known.begunAt >= FULL_CHECK_INTERVAL_MS)
      return this.#verifyWholeChain(reader, orgId, clock);
    const chain = await known.chain;
    if (chain.brokenAtSeq !== null) return chain;
    const extended = await verifyAuditChainFrom(reader, orgId, chain);
    // The last verified entry no longer exists, so the chain must be verified completely.
    return extended === null
      ? this.#verifyWholeChain(reader, orgId, clock)
      : { ...extended, checkedAt: chain.checkedAt };
  }

  /** Verifies an organization's chain, and the given anchors, which were stored outside Floe. */
  async verify(
    reader: DatabaseReader,
    orgId: string,
    anchors: readonly ExternalAuditAnchor[],
    clock: Clock,
  ): Promise<{
    readonly chain: TimestampedAuditChainVerificationResult;
    readonly anchors: readonly AuditAnchorVerification[];
  }> {
    const chain = await this.check(reader, orgId, clock);
    const seqs = anchors.map(({ seq }) => seq);
    const kept = new Map(
      (await listAuditAnchorsBySequence(reader, orgId, seqs)).map((entry) => [entry.seq, entry]),
    );
    return {
      chain,
      anchors: anchors.map((anchor) => ({
        seq: anchor.seq,
        status: statusOf(anchor, kept.get(anchor.seq), chain),
      })),
    };
  }

  #verifyWholeChain(
    reader: DatabaseReader,
    orgId: string,
    clock: Clock,
  ): Promise<TimestampedAuditChainVerificationResult> {
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
  anchor: ExternalAuditAnchor,
  entry: ExternalAuditAnchor | undefined,
  { firstSeq }: AuditChainVerificationResult,
): AuditAnchorVerification['status'] {
  if (entry) return entry.hash === anchor.hash ? 'matches' : 'differs';
  return firstSeq !== null && anchor.seq < firstSeq ? 'expired' : 'missing';
}
