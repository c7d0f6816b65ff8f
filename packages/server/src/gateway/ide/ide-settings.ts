import type { OrgConfig } from '@floe/contract/config';

/** How an org's IDEs are answered. */
export interface IdeSettings {
  /** Upstream faults are told with the statuses whose text an IDE shows. */
  readonly errorProfile: boolean;
  /** Form of calls to freeform tools in answers. */
  readonly freeformTools: 'function' | 'custom';
  /** Rows keep the shape of the bodies that came. */
  readonly capture: boolean;
}

export const DEFAULT_IDE_SETTINGS: IdeSettings = {
  errorProfile: true,
  freeformTools: 'function',
  capture: false,
};

export function compileIdeSettings({ ide }: OrgConfig): IdeSettings {
  return { errorProfile: ide.error_profile, freeformTools: ide.freeform_tools, capture: ide.capture };
}
