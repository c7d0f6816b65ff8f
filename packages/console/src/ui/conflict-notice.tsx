import type { FieldChange } from '../data/field-changes.ts';
import { Button } from './button.tsx';
import { StatusIcon } from './status.tsx';

/**
 * Shown if another member changed the resource after it was read (status 412). Lists that member’s changes
 * and lets the user choose which version to keep.
 */
export function ConflictNotice({
  by,
  changes,
  onMine,
  onTheirs,
}: {
  /** The member who made the other change, or null if unknown. */
  readonly by?: string | null;
  readonly changes: readonly FieldChange[];
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}) {
  return (
    <div
      role="alert"
      className="grid gap-2 rounded-control border border-warning-line bg-warning-tint px-3 py-2 text-ui"
    >
      <p className="flex items-center gap-2">
        <StatusIcon state="warning" />
        {by ?? 'Another member'} saved changes while you were editing.
      </p>
      <FieldChangeList changes={changes} />
      <div className="flex flex-wrap gap-2">
        <Button onClick={onTheirs}>Discard my changes</Button>
        <Button onClick={onMine}>Save my changes</Button>
      </div>
    </div>
  );
}

/**
 * Lists the value of each changed field before and after the change. A sign (− or +), a color and a text for
 * screen readers distinguish the two values.
 */
export function FieldChangeList({ changes }: { readonly changes: readonly FieldChange[] }) {
  if (changes.length === 0) return <p className="text-small text-ink-2">No fields differ.</p>;
  return (
    <dl className="grid gap-2">
      {changes.map(({ field, before, after }) => (
        <div key={field} className="min-w-0">
          <dt className="text-label text-ink-2">{field}</dt>
          <dd className="mt-0.5 grid overflow-hidden rounded-control border border-line bg-surface font-mono text-code">
            {before !== '' && <ChangedLine sign="−" word="before" text={before} />}
            {after !== '' && <ChangedLine sign="+" word="after" text={after} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ChangedLine({
  sign,
  word,
  text,
}: {
  readonly sign: '−' | '+';
  readonly word: string;
  readonly text: string;
}) {
  const look = sign === '+' ? 'bg-healthy-tint text-healthy-ink' : 'bg-failing-tint text-failing-ink';
  return (
    <span className={`flex gap-2 px-2 py-0.5 ${look}`}>
      <span role="img" aria-label={word} className="shrink-0 select-none">
        {sign}
      </span>
      <span className="min-w-0 break-all whitespace-pre-wrap">{text}</span>
    </span>
  );
}
