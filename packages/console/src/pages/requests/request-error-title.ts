import { ApiError } from '../../data/api-error.ts';
import { requestDetailText } from './detail-text.ts';

/** The title of the error when a request cannot be shown. */
export function requestErrorTitle(id: string, error: Error): string {
  return error instanceof ApiError && error.status === 404
    ? requestDetailText.page.notFound(id)
    : requestDetailText.page.loadFailed;
}
