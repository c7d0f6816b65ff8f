import { Button } from './button.tsx';

/** The end of a list that comes in pages: more by itself when it is reached, or by this button. */
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
