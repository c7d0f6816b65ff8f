import { findFieldChanges } from '../../data/field-changes.ts';
import { formatCountWithNoun } from '../../format/words.ts';
import { FieldChangeList } from '../../ui/conflict-notice.tsx';
import { Badge } from '../../ui/status.tsx';
import type { ConfigChanges } from './settings-data.ts';
import { settingsText } from './text.ts';

/** Lists what would change if a floe.yaml file were applied. */
export function ConfigChangeList({ compared }: { readonly compared: ConfigChanges }) {
  const { changes, unchanged, ignored } = compared;
  return (
    <div role="status" className="mt-4 grid gap-3">
      <p className="text-ui">
        {changes.length === 0
          ? settingsText.configuration.noChanges
          : settingsText.configuration.changes(
              formatCountWithNoun(changes.length, settingsText.configuration.change),
            )}
        {settingsText.configuration.unchanged(
          formatCountWithNoun(unchanged, settingsText.configuration.resource),
        )}
      </p>
      {changes.map(({ kind, id, action, in_file, before, after }) => (
        <details key={`${kind} ${id}`} className="rounded-control border border-line px-3 py-2">
          <summary className="cursor-pointer text-ui">
            <Badge>{action}</Badge> {kind} <code className="font-mono text-code">{id}</code>
            {in_file && <span className="text-small text-ink-2">{settingsText.configuration.inFile}</span>}
          </summary>
          <div className="pt-2">
            <FieldChangeList changes={findFieldChanges(before, after)} />
          </div>
        </details>
      ))}
      {ignored.map((section) => (
        <p key={section} className="text-small text-ink-2">
          {settingsText.configuration.ignored(section)}
        </p>
      ))}
    </div>
  );
}
