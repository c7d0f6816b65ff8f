import { formatQueryParameters, type QueryParameters } from './api-client.ts';
import { buildApiUrl, getPageOrgId, ORG_HEADER } from './base-url.ts';

/** Returns the URL of a download from the API, which names the organization of the page. */
export function buildDownloadUrl(path: string, query?: QueryParameters): string {
  const url = buildApiUrl(path);
  url.search = formatQueryParameters(query);
  const org = getPageOrgId();
  if (org) url.searchParams.set(ORG_HEADER, org);
  return url.href;
}

/**
 * Starts a download. The browser saves the response while it streams, so the page does not buffer it. If the server
 * rejects the request, the page stays.
 */
export function startDownload(path: string, filename: string, query?: QueryParameters): void {
  const link = document.createElement('a');
  link.href = buildDownloadUrl(path, query);
  link.download = filename;
  link.click();
}
