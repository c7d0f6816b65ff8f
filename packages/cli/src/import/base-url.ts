import { escapeVariableReferences } from '@floe/contract/config/variable-references';
import type { ImportSourceObject } from './import-source-object.ts';
import type { KnownProvider } from './known-providers.ts';

/**
 * Reads the base URL of a provider and adapts its path for floe.yaml. If the source has no URL, returns the
 * known URL of the provider, or undefined if there is none. Also returns undefined if Floe cannot use the URL.
 * The report then contains the reason.
 */
export function readProviderBaseUrl(
  source: ImportSourceObject,
  field: string,
  provider: KnownProvider,
): string | undefined {
  const value = source.yamlText(field);
  if (value === undefined) return provider.baseUrl;
  if (value.startsWith('${')) {
    source.note(field, 'changed', 'remove any "/" from the end of the value of this variable');
    return value;
  }
  const trimmed = value.replace(/\/+$/, '');
  const url = /^https?:\/\//.test(trimmed) && URL.canParse(trimmed) ? new URL(trimmed) : null;
  if (!url) {
    source.note(field, 'not_imported', 'must be an http:// or https:// URL');
    return undefined;
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    source.note(field, 'not_imported', 'must not contain a user name, password, query string or fragment');
    return undefined;
  }
  return adjustPath(source, field, provider, trimmed);
}

function adjustPath(
  source: ImportSourceObject,
  field: string,
  { isOriginOnly, path }: KnownProvider,
  trimmed: string,
): string {
  const { origin, pathname } = new URL(trimmed);
  if (isOriginOnly && pathname !== '/') {
    source.note(field, 'changed', 'only the origin of the URL is used');
    return origin;
  }
  if (path !== undefined && !pathname.endsWith(path)) {
    source.note(field, 'changed', `${path} was added`);
    return escapeVariableReferences(`${trimmed}${path}`);
  }
  return trimmed;
}
