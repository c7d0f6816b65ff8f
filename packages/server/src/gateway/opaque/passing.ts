import type { KeyRecord } from '../../platform/keyring.ts';
import type { Catalog } from '../catalog.ts';
import type { Base } from './base.ts';
import type { Place } from './path.ts';
import type { Meaning } from './resource-path.ts';

export interface Passing {
  readonly base: Base;
  readonly place: Place;
  readonly segments: readonly string[];
  readonly meaning: Meaning;
  readonly key: KeyRecord;
  readonly catalog: Catalog;
}
