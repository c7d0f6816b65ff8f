import type { KeyRecord } from '../../platform/keyring.ts';
import type { OrgCatalog } from '../org-catalog.ts';
import type { ForwardedApi } from './forwarded-api.ts';
import type { RequestPath } from './request-path.ts';
import type { ResourceReference } from './resource-reference.ts';

/** An opaque request with its caller and the API that it is sent to. */
export interface OpaqueContext {
  readonly base: ForwardedApi;
  readonly path: RequestPath;
  readonly segments: readonly string[];
  readonly resource: ResourceReference;
  readonly key: KeyRecord;
  readonly catalog: OrgCatalog;
}
