import { formatQueryParameters, type QueryParameters } from './api-client.ts';
import { buildApiUrl } from './base-url.ts';

/** Returns the curl command for a `GET` request to the API. */
export function formatCurl(path: string, query: QueryParameters | undefined): string {
  const url = buildApiUrl(path);
  url.search = formatQueryParameters(query);
  return `curl -fsS '${url.href.replaceAll("'", '%27')}' -H "Authorization: Bearer $FLOE_API_KEY"`;
}
