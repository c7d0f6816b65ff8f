import type { OrgConfig } from '@floe/contract/config';

/** The IDE settings of an organization. */
export interface IdeSettings {
  /** Whether errors of providers get a status for which IDEs display the text. */
  readonly errorProfile: boolean;
  /** The form of freeform tool calls in responses. */
  readonly freeformTools: 'function' | 'custom';
  /** Whether rows record the structure of request bodies. */
  readonly capture: boolean;
}

/** The IDE settings of an organization that has none configured. */
export const DEFAULT_IDE_SETTINGS: IdeSettings = {
  errorProfile: true,
  freeformTools: 'function',
  capture: false,
};

/** Builds an organization's IDE settings from its configuration. */
export function compileIdeSettings({ ide }: OrgConfig): IdeSettings {
  return { errorProfile: ide.error_profile, freeformTools: ide.freeform_tools, capture: ide.capture };
}
