import type { VersionChange } from '../data/version-changes.ts';

/** What was and what is, field by field: a sign, a colour and the text. */
export function ChangeList({ changes }: { readonly changes: readonly VersionChange[] }) {
  if (changes.length === 0) return <p className="text-small text-ink-2">No field differs.</p>;
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
