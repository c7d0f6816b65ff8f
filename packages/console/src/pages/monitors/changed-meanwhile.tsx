import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/feedback.tsx';
import type { FieldChange } from './monitor-form.ts';

/** Somebody saved another version while this one was being edited: nothing is lost before a person chose. */
export function ChangedMeanwhile({
  changes,
  onKeep,
  onTake,
}: {
  readonly changes: readonly FieldChange[];
  readonly onKeep: () => void;
  readonly onTake: () => void;
}) {
  return (
    <div role="alert">
      <Notice>
        <p className="font-medium">
          This was changed by somebody else while you were editing. Nothing was saved.
        </p>
        <ul className="my-2 grid gap-0.5">
          {changes.map(({ name, from, to }) => (
            <li key={name}>
              <span className="text-ink-2">{name}:</span> <del className="text-failing-ink">{from}</del>{' '}
              <ins className="text-healthy-ink no-underline">{to}</ins>
            </li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-2">
          <Button onClick={onKeep}>Keep mine</Button>
          <Button onClick={onTake}>Take theirs</Button>
        </div>
      </Notice>
    </div>
  );
}
