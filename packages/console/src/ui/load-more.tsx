import { Button } from './button.tsx';

/** The end of a paged list. Loads the next page when it comes into view or when the button is clicked. */
export function LoadMore({
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
