import { fieldChanges } from '../../data/field-changes.ts';
import { formatCount } from '../../format/amounts.ts';
import { FieldChanges } from '../../ui/conflict-notice.tsx';
import { Badge } from '../../ui/status.tsx';
import type { ConfigChanges } from './settings-data.ts';

/** What a file would create, change and remove. */
export function ConfigChangeList({ compared }: { readonly compared: ConfigChanges }) {
  const { changes, unchanged, ignored } = compared;
  return (
    <div role="status" className="mt-4 grid gap-3">
      <p className="text-ui">
        {changes.length === 0 ? 'Nothing differs' : `${formatCount(changes.length)} would change`};{' '}
        {unchanged === 1 ? 'one is' : `${formatCount(unchanged)} are`} there as before.
      </p>
      {changes.map(({ kind, id, action, in_file, before, after }) => (
        <details key={`${kind} ${id}`} className="rounded-control border border-line px-3 py-2">
          <summary className="cursor-pointer text-ui">
            <Badge>{action}</Badge> {kind} <code className="font-mono text-code">{id}</code>
            {in_file && <span className="text-small text-ink-2"> in floe.yaml</span>}
          </summary>
          <div className="pt-2">
            <FieldChanges changes={fieldChanges(before, after)} />
          </div>
        </details>
      ))}
      {ignored.map((text) => (
        <p key={text} className="text-small text-ink-2">
          Not applied here: {text}
        </p>
      ))}
    </div>
  );
}
