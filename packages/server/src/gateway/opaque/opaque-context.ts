import type { KeyRecord } from '../../platform/keyring.ts';
import type { OrgCatalog } from '../org-catalog.ts';
import type { OpaqueApiRules } from './opaque-api-rules.ts';
import type { RequestPath } from './request-path.ts';
import type { ResourceReference } from './resource-reference.ts';

/**
 * The caller of a request that Floe forwards without parsing, and the API and resource that its path
 * identifies.
 */
export interface OpaqueContext {
  readonly base: OpaqueApiRules;
  readonly path: RequestPath;
  readonly segments: readonly string[];
  readonly resource: ResourceReference;
  readonly key: KeyRecord;
  readonly catalog: OrgCatalog;
}
