import type { NextPageState } from '../data/use-load-more.ts';
import { Button } from './button.tsx';

/**
 * Renders the end of a list that loads page by page: the error of the last attempt, and a button that loads the
 * next page. Renders nothing if all pages are loaded.
 */
export function LoadMoreButton({
  nextPage: { exists, isLoading, error, load },
}: {
  readonly nextPage: NextPageState;
}) {
  if (!exists) return null;
  return (
    <div className="grid justify-items-center gap-2 p-4">
      {error && (
        <p role="alert" className="text-ui text-failing-ink">
          Could not load more. {error.message}
        </p>
      )}
      <Button busy={isLoading} onClick={load}>
        Load more
      </Button>
    </div>
  );
}
