import { MAX_RESOURCES_PER_ORG } from '@floe/contract/config/max-resources-per-org';
import { Fault } from '@floe/contract/faults';
import { countOrgResources } from '../../store/count-org-resources.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import type { WriteOperationContext } from '../operation-definition.ts';

type LimitedKind = keyof typeof MAX_RESOURCES_PER_ORG;

const KIND_LABELS: Readonly<Record<LimitedKind, string>> = {
  monitors: 'monitors',
  channels: 'channels',
  boards: 'boards',
  keys: 'platform keys',
  teams: 'teams',
  providers: 'providers',
  routes: 'routes',
  limits: 'limits',
  budgets: 'budgets',
  policies: 'policies',
  relay_rules: 'relay rules',
  maintenance: 'maintenance windows',
  views: 'saved views',
};

/**
 * The counts that a transaction has read, plus what it has created since. A transaction can create many resources, and
 * a count reads all rows of the organization.
 */
const countsByTransaction = new WeakMap<DatabaseWriter, Map<string, number>>();

/**
 * Requires that the organization may have one more resource of this kind, and counts it in this transaction.
 * Does nothing for kinds without a maximum.
 * @throws Fault `conflict` if the organization has the maximum number of resources of this kind
 */
export async function countNewResourceWithinLimit(
  kind: string,
  { writer, orgId }: Pick<WriteOperationContext, 'writer' | 'orgId'>,
): Promise<void> {
  if (!isLimitedKind(kind)) return;
  const counts = countsByTransaction.get(writer) ?? new Map<string, number>();
  countsByTransaction.set(writer, counts);
  const key = formatCountKey(kind, orgId);
  const count = counts.get(key) ?? (await countOrgResources(writer, orgId, kind));
  const maximum = MAX_RESOURCES_PER_ORG[kind];
  if (count >= maximum)
    throw new Fault(
      'conflict',
      `This organization already has the maximum number of ${KIND_LABELS[kind]} (${maximum}). ${kind === 'keys' ? 'Revoke' : 'Delete'} one first.`,
    );
  counts.set(key, count + 1);
}

/**
 * Discards the cached count of a resource kind. Must be called when the transaction has removed a resource of
 * this kind.
 */
export function discardResourceCount(
  kind: string,
  { writer, orgId }: Pick<WriteOperationContext, 'writer' | 'orgId'>,
): void {
  countsByTransaction.get(writer)?.delete(formatCountKey(kind, orgId));
}

function isLimitedKind(kind: string): kind is LimitedKind {
  return Object.hasOwn(MAX_RESOURCES_PER_ORG, kind);
}

function formatCountKey(kind: string, orgId: string): string {
  return `${orgId}\n${kind}`;
}
