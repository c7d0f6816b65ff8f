import type { KeyRecord } from '../../platform/keyring.ts';
import type { OrgCatalog } from '../org-catalog.ts';
import type { ApiBase } from './api-base.ts';
import type { RequestPath } from './request-path.ts';
import type { ResourceReference } from './resource-reference.ts';

/** An opaque request with its caller and the API that it is sent to. */
export interface OpaqueContext {
  readonly base: ApiBase;
  readonly path: RequestPath;
  readonly segments: readonly string[];
  readonly resource: ResourceReference;
  readonly key: KeyRecord;
  readonly catalog: OrgCatalog;
}
