import { getJson, sendJson } from './api-client.ts';
import { ApiError } from './api-error.ts';

/**
 * Deletes the resource at `path`. Succeeds if the resource no longer exists, because the response to an earlier
 * attempt may have been lost. Status 404 alone does not prove this: the organization or the endpoint can be
 * missing. In that case, the list of these resources is missing too.
 * @throws ApiError if the resource was not deleted
 */
export async function deleteResource(path: string): Promise<void> {
  try {
    await sendJson('DELETE', path);
  } catch (error) {
    // Some resources have their own error code, such as monitor_not_found.
    const isMissing = error instanceof ApiError && error.code.endsWith('not_found');
    const list = path.slice(0, path.lastIndexOf('/'));
    const isListAvailable =
      isMissing &&
      (await getJson(list).then(
        () => true,
        () => false,
      ));
    if (!isListAvailable) throw error;
  }
}
