import { Button } from './button.tsx';

/**
 * Renders the end of a list that loads page by page. Loads the next page when it comes into view or when the
 * user clicks the button.
 */
export function LoadMoreButton({
  more,
  loading,
  onMore,
}: {
  readonly more: boolean;
  readonly loading: boolean;
  readonly onMore: () => void;
}) {
  if (!more) return null;
  return (
    <div className="flex justify-center p-4">
      <Button busy={loading} onClick={onMore}>
        Load more
      </Button>
    </div>
  );
}
