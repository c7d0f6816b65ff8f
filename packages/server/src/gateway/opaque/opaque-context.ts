import type { KeyRecord } from '../../platform/keyring.ts';
import type { OrgCatalog } from '../org-catalog.ts';
import type { ForwardedApi } from './forwarded-api.ts';
import type { RequestPath } from './request-path.ts';
import type { ResourceReference } from './resource-reference.ts';

/**
 * The caller of a request that Floe forwards without parsing, and the API and resource that its path
 * identifies.
 */
export interface OpaqueContext {
  readonly base: ForwardedApi;
  readonly path: RequestPath;
  readonly segments: readonly string[];
  readonly resource: ResourceReference;
  readonly key: KeyRecord;
  readonly catalog: OrgCatalog;
}
